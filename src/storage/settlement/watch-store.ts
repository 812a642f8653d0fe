import type { Network } from '../../domain/network.ts'
import type { PaymentTrace, Sent } from '../../domain/x402/settlement.ts'
import { loadMany } from '../invoices/invoices.ts'
import {
  depositsAmong,
  firstAddressAt,
  ours,
  paymentAddresses,
} from '../invoices/payment-addresses.ts'
import { serverTime } from '../postgres/database-server.ts'
import type { Sql } from '../postgres/db.ts'
import { claimedBy } from '../x402/payments.ts'
import { type CandidateQuery, candidates } from './candidates.ts'
import { loadCursor, startCursor } from './cursors.ts'
import { commitStep, type Step } from './settlements.ts'
import { usedForX402 } from './transaction-uses.ts'
import { transfersIn } from './transfers.ts'

/** A watcher's queries and commits; each function is one statement. */
export function watchStore(sql: Sql) {
  return {
    time: () => serverTime(sql),
    cursor: (chain: Network) => loadCursor(sql, chain),
    start: (chain: Network, nextBlock: number, now: Date) =>
      startCursor(sql, chain, nextBlock, now),
    firstAddressAt: (chain: Network) => firstAddressAt(sql, chain),
    addresses: (chain: Network, most: number | null) => paymentAddresses(sql, chain, most),
    ours: (chain: Network, addresses: readonly string[]) => ours(sql, chain, addresses),
    transfersIn: (
      chain: Network,
      range: { from: number; to: number },
      txHashes: readonly string[],
    ) => transfersIn(sql, chain, range, txHashes),
    usedForX402: (chain: Network, sent: readonly Sent[]) => usedForX402(sql, chain, sent),
    claimed: (chain: Network, traces: readonly PaymentTrace[]) => claimedBy(sql, chain, traces),
    depositsAmong: (addresses: readonly string[]) => depositsAmong(sql, addresses),
    candidates: (chain: Network, query: CandidateQuery) => candidates(sql, chain, query),
    invoices: (ids: readonly string[]) => loadMany(sql, ids),
    commit: (step: Step) => commitStep(sql, step),
  }
}

/** `watchStore` for reading a block range separately, with its own cursor of this name. */
export function rangeStore(sql: Sql, cursorName: string) {
  return {
    ...watchStore(sql),
    cursor: () => loadCursor(sql, cursorName),
    start: (_chain: Network, nextBlock: number, now: Date) =>
      startCursor(sql, cursorName, nextBlock, now),
    commit: (step: Step) => commitStep(sql, step, cursorName),
  }
}
