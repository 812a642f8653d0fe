import { takeDepositIndexes } from '../storage/invoices/payment-addresses.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Deposit } from './payees.ts'

/**
 * Assigns addresses that belong to one invoice each and are the same on every EVM chain.
 * `addressOf` derives the address with an index.
 */
export function createDeposits(
  sql: Sql,
  addressOf: (index: number) => string,
): () => Promise<Deposit> {
  const indexes = createGroupCommit<null, number>({
    lanes: 1,
    maxBatch: 256,
    maxWaiting: 4_096,
    flush: (_, works) => takeDepositIndexes(sql, works.length),
  })
  return async () => {
    const index = await indexes.submit('', null)
    return { index, address: addressOf(index) }
  }
}
