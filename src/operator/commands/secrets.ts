import { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { generateMissing } from '../../config/secrets.ts'
import { adoptKey, type KeyStatus } from '../../config/secrets-key.ts'
import { print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description('manage the secrets of the service')
  secrets
    .command('adopt')
    .description(
      'continue with the configured SECRETS_KEY after the database’s own is lost; requires the service to be stopped',
    )
    .action(adopt)
  return secrets
}

async function adopt(options: { json?: boolean }): Promise<void> {
  const file = await generateMissing(readConfig())
  const before = await onDatabase(({ sql, secretsKey }) => adoptKey(sql, secretsKey))
  print(options, { adopted: before !== 'own', file }, [
    ...sentencesOf(before),
    ...(file ? [`Keys and wallets that were missing have been generated: back up ${file}.`] : []),
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
