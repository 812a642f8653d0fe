import { toDecimal, usdcScale } from '../../domain/money/money.ts'
import { paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Unexplained, unexplainedBalances } from '../../storage/settlement/balance-checks.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** With more, a step on Solana takes seconds, and providers limit its calls. */
const many = 1_000
const timeoutMs = 3_000

/** Whether so many wallets on Solana, each queried by itself, delay the detection of payments. */
export async function addressFindings(sql: Sql): Promise<readonly Finding[]> {
  if ((await paymentAddresses(sql, 'solana', many)) !== null) return []
  return [
    note(
      'solana addresses',
      `there are more than ${many}, and each step of the watcher queries them one by one: see docs/scale.md`,
    ),
  ]
}

/** Whether our addresses hold what the recorded transfers imply, by a worker's latest check. */
export async function balanceFindings(sql: Sql): Promise<readonly Finding[]> {
  const unexplained = await unexplainedBalances(sql, timeoutMs)
  if (unexplained.length === 0) return [ok('balances', 'the transfers on record explain them')]
  return unexplained.map(findingOn)
}

function findingOn({ chain, addresses, usdcBase, sinceBlock }: Unexplained): Finding {
  const detail = `${addresses} address(es) differ by ${toDecimal(usdcBase, usdcScale)} USDC from what the transfers behind block ${sinceBlock} explain`
  return problem(
    `${chain} balances`,
    detail,
    'put another node first: tomorrow’s check reads its logs, or `quittance backfill` does so at once',
  )
}
