import { paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Finding, note } from './finding.ts'

/** From here on a step on Solana takes seconds, and so many calls that providers limit them. */
const many = 1_000

/** Whether Solana is asked for so many wallets, each by itself, that payments are seen late. */
export async function addressFindings(sql: Sql): Promise<readonly Finding[]> {
  if ((await paymentAddresses(sql, 'solana', many)) !== null) return []
  return [
    note(
      'solana addresses',
      `invoices are paid at more than ${many}, and each look at the chain asks for each of them: see docs/scale.md`,
    ),
  ]
}
