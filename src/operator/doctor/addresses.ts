import type { Config } from '../../config/config.ts'
import { type Receiver, receiversOf, walletVariables } from '../../config/receivers.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { toDecimal, usdcScale } from '../../domain/money/money.ts'
import { ownWalletCount } from '../../storage/accounts/accounts.ts'
import { paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Unexplained, unexplainedBalances } from '../../storage/settlement/balance-checks.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** With more wallets, a step on Solana takes seconds, and providers limit calls. */
const maxWallets = 1_000
const timeoutMs = 3_000

/** Who receives the money, first. */
export async function receiverFindings(config: Config, sql: Sql): Promise<readonly Finding[]> {
  const receivers = receiversOf(config, await loadSecrets(config))
  const count = await ownWalletCount(sql)
  return [
    ...receivers.map(receiverFinding),
    ...(count > 0
      ? [note('paid to', `${count} account(s) have wallets of their own: see \`account list\``)]
      : []),
  ]
}

function receiverFinding({ address, chains, keyFile }: Receiver): Finding {
  const paid = `${address} on ${chains.join(', ')}`
  if (keyFile === null) return ok('paid to', paid)
  const detail = `${paid}. The service generated it, and its private key is in ${keyFile}`
  const remedy = `set ${walletVariables(chains)} to your own wallet; whoever reads this file can spend what was paid here`
  return { ...note('paid to', detail), remedy }
}

export async function addressFindings(sql: Sql): Promise<readonly Finding[]> {
  if ((await paymentAddresses(sql, 'solana', maxWallets)) !== null) return []
  return [
    note(
      'solana addresses',
      `there are more than ${maxWallets}, and the watcher queries each of them: see docs/scale.md`,
    ),
  ]
}

export async function balanceFindings(sql: Sql): Promise<readonly Finding[]> {
  const unexplained = await unexplainedBalances(sql, timeoutMs)
  if (unexplained.length === 0) return [ok('balances', 'the recorded transfers explain them')]
  return unexplained.map(findingOn)
}

function findingOn({ chain, addresses, usdcBase, sinceBlock }: Unexplained): Finding {
  const detail = `${addresses} address(es) differ by ${toDecimal(usdcBase, usdcScale)} USDC from what the transfers since block ${sinceBlock} explain`
  return problem(
    `${chain} balances`,
    detail,
    'put another node first in the list: tomorrow’s check reads its logs; `quittance backfill` reads them at once',
  )
}
