import { toDecimal, usdcScale } from '../../domain/money/money.ts'
import { paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Unexplained, unexplainedBalances } from '../../storage/settlement/balance-checks.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** With more wallets, a step on Solana takes seconds, and providers limit calls. */
const maxWallets = 1_000
const timeoutMs = 3_000

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
