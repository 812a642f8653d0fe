import { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { generateMissing } from '../../config/secrets.ts'
import { adoptKey, type KeyStatus } from '../../config/secrets-key.ts'
import { print } from '../output.ts'
import { rotateKey } from '../rotate-key.ts'
import { onDatabase } from '../session.ts'

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description('manage the secrets of the service')
  secrets
    .command('adopt')
    .description(
      'continue with the configured SECRETS_KEY after the database’s own is lost; requires the service to be stopped',
    )
    .action(adopt)
  secrets
    .command('rotate')
    .description(
      'move the database from SECRETS_KEY_PREVIOUS to SECRETS_KEY and seal all secrets anew; requires every process to run with both, and may be repeated',
    )
    .action(rotate)
  return secrets
}

async function adopt(options: { json?: boolean }): Promise<void> {
  const file = await generateMissing(readConfig())
  const before = await onDatabase(({ sql, configuredKeys }) => adoptKey(sql, configuredKeys))
  print(options, { adopted: before !== 'own', file }, [
    ...sentencesOf(before),
    ...(file ? [`Keys and wallets that were missing have been generated: back up ${file}.`] : []),
  ])
}

async function rotate(options: { json?: boolean }): Promise<void> {
  const done = await onDatabase(({ sql, configuredKeys }) => rotateKey(sql, configuredKeys))
  const { moved, resealed, unreadable } = done
  print(options, done, [
    moved
      ? 'The database now belongs to the new SECRETS_KEY.'
      : 'The database already belongs to this SECRETS_KEY.',
    `${resealed} secret(s) sealed anew.`,
    ...(unreadable > 0 ? [`${unreadable} secret(s) are sealed under neither key.`] : []),
    'In 24 hours restart every process without SECRETS_KEY_PREVIOUS. Keep that key as long as backups made under it.',
  ])
}

function sentencesOf(before: KeyStatus): readonly string[] {
  if (before === 'own') return ['The database already belongs to this SECRETS_KEY.']
  return [
    'The database now belongs to this SECRETS_KEY.',
    ...(before === 'other'
      ? [
          'Payments that carry an older reference are now matched by amount only.',
          'Rotate every older webhook secret and mandate signing secret.',
        ]
      : []),
  ]
}
