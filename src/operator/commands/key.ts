import { Command, Option } from 'commander'
import type { KeyKind } from '../../domain/accounts/account.ts'
import { keyState } from '../../domain/accounts/key-state.ts'
import type { ListedKey } from '../../domain/accounts/keys.ts'
import {
  inPresets,
  presetNames,
  presets,
  type Scope,
  scopes,
} from '../../domain/accounts/scopes.ts'
import { noSuch } from '../../domain/error.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import { listKeys, revokeKey } from '../../storage/accounts/api-keys.ts'
import { issueKey } from '../accounts.ts'
import { futureDate, oneLine, scopeList, uuid } from '../arguments.ts'
import { print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function keyCommand(): Command {
  const key = new Command('key').description('manage API keys of an account')
  key
    .command('create')
    .description('create a key; it is printed only once')
    .requiredOption('--account <id>', 'the account', uuid)
    .addOption(
      new Option('--kind <kind>', 'prefix of the key; either works on every path')
        .choices(['inv_', 'sk_'])
        .default('inv_'),
    )
    .option('--name <name>', 'name of the key', oneLine, 'key')
    .option(
      '--scopes <list>',
      `presets (${presetNames.join(', ')}) and scopes, comma-separated: ${scopes.join(', ')}`,
      scopeList,
      presets.full,
    )
    .option('--expires <date>', 'ISO 8601; a date means the end of that day, UTC', futureDate)
    .action(create)
  key
    .command('list')
    .description('list all keys of an account with status, permissions and last use')
    .requiredOption('--account <id>', 'the account', uuid)
    .action(list)
  key
    .command('revoke')
    .description('revoke a key; every process refuses it within 5 seconds')
    .argument('<key-id>', 'the id that `key list` shows', uuid)
    .requiredOption('--account <id>', 'the account', uuid)
    .action(revoke)
  return key
}

type Options = { account: string; json?: boolean }
type CreateOptions = Options & {
  kind: KeyKind
  name: string
  scopes: readonly Scope[]
  expires?: Date
}

async function create(options: CreateOptions): Promise<void> {
  const { account: accountId, kind, name, scopes, expires: expiresAt = null } = options
  const issued = await onDatabase(({ sql }) =>
    issueKey(sql, { accountId, kind, name, scopes, expiresAt }),
  )
  print(options, issued, [
    `${issued.key}  (id ${issued.id})`,
    'Store it now: it is not shown again.',
  ])
}

async function list(options: Options): Promise<void> {
  const keys = await onDatabase(async ({ sql }) => {
    if (!(await findAccount(sql, options.account))) throw noSuch('account')
    return listKeys(sql, options.account)
  })
  const now = new Date()
  print(
    options,
    keys,
    keys.map((key) => lineOf(key, now)),
  )
}

function lineOf(key: ListedKey, now: Date): string {
  const { id, hint, name, scopes, lastUsedAt } = key
  const used = lastUsedAt ? `used ${lastUsedAt.toISOString()}` : 'never used'
  return [id, hint, name, statusOf(key, now), permissionsOf(scopes), used].join('  ')
}

function statusOf(key: ListedKey, now: Date): string {
  const state = keyState(key, now)
  return state === 'active' && key.expiresAt ? `until ${key.expiresAt.toISOString()}` : state
}

function permissionsOf(scopes: readonly Scope[]): string {
  const { preset, beyond } = inPresets(scopes)
  return [...(preset ? [preset] : []), ...beyond].join(', ')
}

async function revoke(keyId: string, options: Options): Promise<void> {
  await onDatabase(({ sql }) => revokeKey(sql, options.account, keyId))
  print(options, { revoked: keyId }, [`revoked ${keyId}`])
}
