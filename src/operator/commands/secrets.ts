import { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { generateMissing } from '../../config/secrets.ts'
import { adoptKey, type KeyStanding } from '../../config/secrets-key.ts'
import { jsonOption, print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function secretsCommand(): Command {
  const secrets = new Command('secrets').description('the secrets of the service')
  secrets
    .command('adopt')
    .description(
      'go on with the configured SECRETS_KEY where that of the database is lost for good; while the service is stopped',
    )
    .addOption(jsonOption())
    .action(adopt)
  return secrets
}

async function adopt(options: { json?: boolean }): Promise<void> {
  const file = await generateMissing(readConfig())
  const before = await onDatabase(({ sql, secretsKey }) => adoptKey(sql, secretsKey))
  print(options, { adopted: before !== 'own', file }, [
    ...sentencesOn(before, file),
    ...(file
      ? [`Other keys and wallets that were missing are new: see ${file}, and back it up.`]
      : []),
  ])
}

function sentencesOn(before: KeyStanding, file: string | null): readonly string[] {
  if (before === 'own')
    return [`${file ? 'T' : 'Nothing to do: t'}he database belongs to this SECRETS_KEY already.`]
  return [
    'The database belongs to this SECRETS_KEY now.',
    ...(before === 'other'
      ? [
          'Payments are no longer matched by references given out before, but by their amount.',
          'Webhook and mandate signing secrets from before must be rotated, one by one.',
        ]
      : []),
  ]
}
