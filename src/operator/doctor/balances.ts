import { toDecimal, usdcScale } from '../../domain/money/money.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Unexplained, unexplainedBalances } from '../../storage/settlement/balance-checks.ts'
import { type Finding, ok, problem } from './finding.ts'

const lookLimitMs = 3_000

/** Whether our addresses hold what the recorded transfers imply, by a worker's latest check. */
export async function balanceFindings(sql: Sql): Promise<readonly Finding[]> {
  const unexplained = await unexplainedBalances(sql, lookLimitMs)
  if (unexplained.length === 0) return [ok('balances', 'the transfers on record explain them')]
  return unexplained.map(findingOn)
}

function findingOn({ chain, addresses, usdcBase, sinceBlock }: Unexplained): Finding {
  const detail = `${addresses} address(es) differ by ${toDecimal(usdcBase, usdcScale)} USDC from what the transfers behind block ${sinceBlock} explain`
  return problem(
    `${chain} balances`,
    detail,
    'put another node first: its logs are read by the next day’s look, or at once by `quittance backfill`',
  )
}
