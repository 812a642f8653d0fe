import { noSuch } from '../../domain/error.ts'
import type { Network } from '../../domain/network.ts'
import type { Listed, Query, Shown } from '../../domain/settlement/transfer-list.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { ListReader } from '../../storage/postgres/pools.ts'
import { findShown, listTransfers } from '../../storage/settlement/transfer-lists.ts'

export type TransferName = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
}

export type Transfers = ReturnType<typeof createTransfers>

/** The transfers of all accounts, for operators, and what is held for one account. */
export function createTransfers(parts: { readonly sql: Sql; readonly list: ListReader }) {
  /** Operators share what any one account may have under way. */
  function list(query: Query): Promise<Listed> {
    return parts.list(query.heldFor ?? 'operators', (listSql) => listTransfers(listSql, query))
  }

  async function get(name: TransferName): Promise<Shown> {
    const transfer = await findShown(parts.sql, name)
    if (!transfer) throw noSuch('transfer')
    return transfer
  }

  return { list, get }
}
