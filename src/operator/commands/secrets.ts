import { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { generateMissing, loadSecrets } from '../../secrets.ts'
import { adoptKey } from '../../secrets-key.ts'
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
  const config = readConfig()
  await generateMissing(config)
  const { file } = await loadSecrets(config)
  await onDatabase(({ sql, secretsKey }) => adoptKey(sql, secretsKey))
  print(options, { adopted: true, file }, [
    'The database belongs to this SECRETS_KEY now.',
    'Payments are no longer matched by references given out before, but by their amount.',
    'Webhook and mandate signing secrets from before must be rotated, one by one.',
    ...(file
      ? [`Other keys and wallets that were missing are new: see ${file}, and back it up.`]
      : []),
  ])
}
