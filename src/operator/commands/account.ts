import { Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { type Plan, plans } from '../../domain/accounts/account.ts'
import { addressProblem } from '../../domain/address.ts'
import { noSuch } from '../../domain/error.ts'
import { invoiceChains, networks } from '../../domain/network.ts'
import {
  changeWallets,
  type ListedAccount,
  listAccounts,
  type WalletChanges,
} from '../../storage/accounts/accounts.ts'
import { openAccount, renewSigningSecret } from '../accounts.ts'
import { oneLine, positive, uuid, wallet, walletChange } from '../arguments.ts'
import { print } from '../output.ts'
import { onDatabase, onDatabaseWithKey } from '../session.ts'

export function accountCommand(): Command {
  const account = new Command('account').description('manage accounts')
  account
    .command('create')
    .description('create an account; its keys and signing secret are printed only once')
    .requiredOption('--name <name>', 'name of the account', oneLine)
    .addOption(
      new Option('--plan <plan>', 'the request limits').choices(Object.keys(plans)).default('free'),
    )
    .option('--per-minute <n>', 'requests per minute, in place of the plan’s', positive)
    .option('--per-day <n>', 'requests per day, in place of the plan’s', positive)
    .option(
      '--wallet <chain=address>',
      'receive payments on this chain at this address (repeatable, once for each chain)',
      wallet,
      {},
    )
    .action(create)
  account
    .command('list')
    .description('list all accounts with plan, limits, wallets, creation and last use')
    .action(list)
  account
    .command('show')
    .description('show one account, and where it is paid on each chain')
    .argument('<account-id>', 'the id that `account list` shows', uuid)
    .action(show)
  account
    .command('set-wallet')
    .description('change where new invoices are paid; existing invoices keep their addresses')
    .requiredOption('--account <id>', 'the account', uuid)
    .requiredOption(
      '--wallet <chain=address>',
      'the new address on this chain; “chain=” removes the account’s own (repeatable)',
      walletChange,
    )
    .action(setWallet)
  account
    .command('rotate-signing-secret')
    .description('create a new mandate signing secret; the old one stays valid for 24 hours')
    .requiredOption('--account <id>', 'the account', uuid)
    .action(rotate)
  return account
}

type CreateOptions = {
  name: string
  plan: Plan
  perMinute?: number
  perDay?: number
  wallet: Parameters<typeof wallet>[1]
  json?: boolean
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { name, plan, perMinute, perDay, wallet: wallets } = options
  const limits = { ...(perMinute && { perMinute }), ...(perDay && { perDay }) }
  const created = await onDatabaseWithKey(({ config, sql, keys }) => {
    refuseTokens(config, wallets, command)
    return openAccount(sql, keys.opening[0], { name, plan, limits, wallets })
  })
  print(options, created, [
    `account         ${created.account.id}  ${created.account.name} (${created.account.plan})`,
    `api key         ${created.apiKey}`,
    `v1 key          ${created.v1Key}`,
    `signing secret  ${created.signingSecret}`,
    'Store these now: they are not shown again.',
  ])
}

async function list(options: { json?: boolean }): Promise<void> {
  const accounts = await onDatabase(({ sql }) => listAccounts(sql))
  const lines = accounts.map((account) => {
    const wallets = Object.keys(account.wallets).join(', ')
    const own = wallets === '' ? 'the service’s wallets' : `own wallets: ${wallets}`
    return [account.id, account.name, planOf(account), own, usesOf(account)].join('  ')
  })
  print(options, accounts, lines)
}

async function show(id: string, options: { json?: boolean }): Promise<void> {
  const { account, receivers } = await onDatabase(async ({ sql, config }) => {
    const [account] = await listAccounts(sql, id)
    if (!account) throw noSuch('account')
    return { account, receivers: (await loadSecrets(config)).wallets }
  })
  print(options, account, [
    `account  ${account.id}  ${account.name}`,
    `plan     ${planOf(account)}`,
    `used     ${usesOf(account)}`,
    ...invoiceChains.map((chain) => {
      const own = account.wallets[chain]
      const paid = own ?? receivers[chain] ?? 'not paid there: no wallet'
      return `${chain.padEnd(9)}${paid}${own || !receivers[chain] ? '' : ' (the service’s)'}`
    }),
  ])
}

function planOf({ plan, limits }: ListedAccount): string {
  return `${plan}, ${limits.perMinute} a minute, ${limits.perDay} a day`
}

function usesOf({ createdAt, lastUsedAt }: ListedAccount): string {
  const used = lastUsedAt ? `used ${lastUsedAt.toISOString()}` : 'never used'
  return `created ${createdAt.toISOString()}, ${used}`
}

async function setWallet(
  options: { account: string; wallet: WalletChanges; json?: boolean },
  command: Command,
): Promise<void> {
  const wallets = await onDatabase(({ config, sql }) => {
    refuseTokens(config, options.wallet, command)
    return changeWallets(sql, options.account, options.wallet)
  })
  const lines = Object.entries(wallets).map(([chain, address]) => `${chain}  ${address}`)
  print(options, { wallets }, lines)
}

function refuseTokens(config: Config, wallets: WalletChanges, command: Command): void {
  for (const chain of networks) {
    const address = wallets[chain]
    const problem = address && addressProblem(chain, address, config.networks[chain])
    if (problem) command.error(`error: --wallet ${chain}=${address}: the address ${problem}`)
  }
}

async function rotate(options: { account: string; json?: boolean }): Promise<void> {
  const renewed = await onDatabaseWithKey(({ sql, keys }) =>
    renewSigningSecret(sql, keys.opening[0], options.account),
  )
  print(options, renewed, [
    `signing secret  ${renewed.signingSecret}`,
    'Store it now: it is not shown again.',
  ])
}
