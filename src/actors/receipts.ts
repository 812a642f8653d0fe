import { noSuch } from '../domain/error.ts'
import { isUuidOf } from '../domain/id.ts'
import type { Issued } from '../domain/receipts/receipt.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findReceipt } from '../storage/settlement/receipts.ts'

export type Receipts = ReturnType<typeof createReceipts>

export function createReceipts(sql: Sql) {
  /** A receipt of any account. Errors: `not_found`. */
  async function find(id: string): Promise<Issued> {
    const receipt = isUuidOf('drs_', id) ? await findReceipt(sql, id) : null
    if (!receipt) throw noSuch('receipt')
    return receipt
  }

  async function get(accountId: string, id: string): Promise<Issued> {
    const receipt = await find(id)
    if (receipt.accountId !== accountId) throw noSuch('receipt')
    return receipt
  }

  return { find, get }
}
