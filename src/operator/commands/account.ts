import { Command, Option } from 'commander'
import { isUnspendable, unspendable } from '../../chain/wallets.ts'
import type { Config } from '../../config/config.ts'
import { type Plan, plans } from '../../domain/accounts/account.ts'
import { networks } from '../../domain/network.ts'
import { changeWallets, type WalletChanges } from '../../storage/accounts/accounts.ts'
import { openAccount, renewSigningSecret } from '../accounts.ts'
import { oneLine, positive, uuid, wallet, walletChange } from '../arguments.ts'
import { jsonOption, print } from '../output.ts'
import { onDatabase, onDatabaseWithKey } from '../session.ts'

export function accountCommand(): Command {
  const account = new Command('account').description('accounts')
  account
    .command('create')
    .description('make an account; its keys and signing secret are printed once')
    .requiredOption('--name <name>', 'what the account is called', oneLine)
    .addOption(
      new Option('--plan <plan>', 'request limits').choices(Object.keys(plans)).default('free'),
    )
    .option('--per-minute <n>', 'requests per minute, instead of the plan’s', positive)
    .option('--per-day <n>', 'requests per day, instead of the plan’s', positive)
    .option(
      '--wallet <chain=address>',
      'be paid at this address on this chain (repeatable, once for each chain)',
      wallet,
      {},
    )
    .addOption(jsonOption())
    .action(create)
  account
    .command('set-wallet')
    .description('be paid elsewhere from now on; what invoices ask for already stays as it is')
    .requiredOption('--account <id>', 'whose invoices', uuid)
    .requiredOption(
      '--wallet <chain=address>',
      'this address on this chain; chain= for none of its own there any more (repeatable)',
      walletChange,
    )
    .addOption(jsonOption())
    .action(setWallet)
  account
    .command('rotate-signing-secret')
    .description('make a new mandate signing secret; the old one counts for 24 hours more')
    .requiredOption('--account <id>', 'whose secret', uuid)
    .addOption(jsonOption())
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
  const created = await onDatabaseWithKey(({ config, sql, sealKey }) => {
    refuseTokens(config, wallets, command)
    return openAccount(sql, sealKey, { name, plan, limits, wallets })
  })
  print(options, created, [
    `account         ${created.account.id}  ${created.account.name} (${created.account.plan})`,
    `api key         ${created.apiKey}`,
    `v1 key          ${created.v1Key}`,
    `signing secret  ${created.signingSecret}`,
    'Keep these: they are not shown again.',
  ])
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

/** Ends the command where a wallet is the token that is configured on its chain. */
function refuseTokens(config: Config, wallets: WalletChanges, command: Command): void {
  for (const chain of networks) {
    const address = wallets[chain]
    if (address && isUnspendable(chain, address, config.networks[chain].usdcAddress))
      command.error(`error: --wallet ${chain}=${address}: this one ${unspendable}`)
  }
}

async function rotate(options: { account: string; json?: boolean }): Promise<void> {
  const renewed = await onDatabaseWithKey(({ sql, sealKey }) =>
    renewSigningSecret(sql, sealKey, options.account),
  )
  print(options, renewed, [
    `signing secret  ${renewed.signingSecret}`,
    'Keep it: it is not shown again.',
  ])
}
