import { createGroupCommit } from '../actors/group-commit.ts'
import type { Deposit } from '../actors/payees.ts'
import { depositAddresses } from '../chain/evm/deposits.ts'
import type { Config } from '../config/config.ts'
import { takeDepositIndexes } from '../storage/invoices/payment-addresses.ts'
import type { Sql } from '../storage/postgres/db.ts'

/**
 * Assigns addresses that belong to one invoice each and are the same on every EVM chain; null if
 * invoices share a wallet.
 */
export function createDeposits({ depositXpub }: Config, sql: Sql): (() => Promise<Deposit>) | null {
  if (depositXpub === null) return null
  const addressOf = depositAddresses(depositXpub)
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
