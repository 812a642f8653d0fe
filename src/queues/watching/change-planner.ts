import { keyOf } from '../../actors/payments.ts'
import { type Chain, ChainError, type Transfer } from '../../chain/chain.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type StoredTransfer, transfersIn } from '../../storage/settlement/transfers.ts'
import type { MovedSale } from '../../storage/x402/payments.ts'
import { type AttributionOptions, attribute, namedIn } from './attribution.ts'
import { createDecisions, type DecisionOptions, type Written } from './decisions.ts'
import type { Reading } from './reading.ts'
import { diffTransfers, type TransferDiff } from './transfer-diff.ts'

export type PlanningOptions = Omit<DecisionOptions, 'network'> &
  Omit<AttributionOptions, 'network'> & {
    readonly chain: Chain
    /** Whether all held transfers are matched again, by what they name. */
    readonly rematchesHeld?: boolean
  }

export type NonEmptyReading = Reading & { readonly found: NonNullable<Reading['found']> }

export type Changes = Written & {
  /** By id, as they were. */
  readonly judged: ReadonlyMap<string, Invoice.Invoice>
  readonly moved: readonly MovedSale[]
}

/** Plans what a reading changes. Errors: those of the chain and of storage. */
export function createChangePlanner(
  options: PlanningOptions,
): (sql: Sql, reading: NonEmptyReading) => Promise<Changes> {
  const { network } = options.chain
  const { commandsOf, decide } = createDecisions({ ...options, network })

  return async (sql, { found, confirmedTo, head }) => {
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const range = { from: found.from, to: found.to }
    const stored = await transfersIn(sql, network, range, txHashes)
    const whole = diffTransfers(stored, found.transfers, confirmedTo, options.rematchesHeld)
    const diff = withoutLikelyPurchases(whole, confirmedTo, options)
    await refuseSilentLoss(options.chain, diff.missing, found.transfers)
    const { matched, judged, moved } = await attribute(sql, diff, { ...options, network })
    const findings = { diff, matched, confirmedTo, head: head.number }
    const commands = commandsOf(findings)
    const others = await loadMany(
      sql,
      [...commands.keys()].filter((id) => !judged.has(id)),
    )
    const invoices = [...judged.values(), ...others].filter(({ id }) => commands.has(id))
    return { ...decide(findings, invoices, commands), judged, moved }
  }
}

/**
 * Leaves out unconfirmed transfers that may be x402 payments (a price of ours, no invoice named),
 * which their sender presents within seconds. Not where the transaction has others on the same
 * route: what a claim takes depends on all their amounts.
 */
function withoutLikelyPurchases(
  diff: TransferDiff,
  confirmedTo: number,
  { salesUsdcBase, references }: Pick<AttributionOptions, 'salesUsdcBase' | 'references'>,
): TransferDiff {
  const mayBeSale = (transfer: Transfer) =>
    salesUsdcBase.has(transfer.usdcBase) && namedIn(transfer, references).length === 0
  const others = [
    ...diff.fresh.filter((transfer) => !mayBeSale(transfer)),
    ...diff.present.map(({ before }) => before),
  ]
  const together = new Set(others.map(routeOf))
  const fresh = diff.fresh.filter(
    (transfer) =>
      transfer.blockNumber <= confirmedTo ||
      !mayBeSale(transfer) ||
      together.has(routeOf(transfer)),
  )
  return { ...diff, fresh }
}

/**
 * Believes that a transfer is gone only if its block is. A node that answers with another block
 * number lacks the block.
 */
async function refuseSilentLoss(
  chain: Chain,
  missing: readonly StoredTransfer[],
  found: readonly Transfer[],
): Promise<void> {
  const shown = new Set(found.map(positionOf))
  const lost = missing.filter((transfer) => !shown.has(positionOf(transfer)))
  for (const { blockNumber, blockHash, txHash } of lost) {
    const block = await chain.block(blockNumber, blockHash)
    if (block?.number !== blockNumber) {
      throw new ChainError('lagging', `the node does not have block ${blockNumber} of ${txHash}`)
    }
    if (block.hash !== blockHash) continue
    throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
  }
}

function routeOf({ txHash, from, to }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to}`
}

function positionOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}
