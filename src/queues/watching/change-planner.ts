import { keyOf } from '../../actors/payments.ts'
import { type Chain, ChainError, type Transfer } from '../../chain/chain.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type StoredTransfer, transfersIn } from '../../storage/settlement/transfers.ts'
import { type AttributionOptions, attribute, namedIn } from './attribution.ts'
import { createDecisions, type DecisionOptions, type Written } from './decisions.ts'
import type { Reading } from './reading.ts'
import { diffTransfers, type TransferDiff } from './transfer-diff.ts'

export type PlanningOptions = Omit<DecisionOptions, 'network'> &
  Omit<AttributionOptions, 'network'> & { readonly chain: Chain }

/** A reading that holds blocks. */
export type NonEmptyReading = Reading & { readonly found: NonNullable<Reading['found']> }

/** The changes that follow from a reading. */
export type Changes = Written & {
  /** By id, all invoices that the matching rules were given, as they were. */
  readonly judged: ReadonlyMap<string, Invoice.Invoice>
}

/**
 * Creates a function that plans what a reading changes, given what is stored. Errors: those of the
 * chain and of storage.
 */
export function createChangePlanner(
  options: PlanningOptions,
): (sql: Sql, reading: NonEmptyReading) => Promise<Changes> {
  const { network } = options.chain
  const { commandsOf, decide } = createDecisions({ ...options, network })

  return async (sql, { found, confirmedTo, head }) => {
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const range = { from: found.from, to: found.to }
    const stored = await transfersIn(sql, network, range, txHashes)
    const whole = diffTransfers(stored, found.transfers, confirmedTo)
    const diff = withoutLikelyPurchases(whole, confirmedTo, options)
    await refuseSilentLoss(options.chain, diff.missing, found.transfers)
    const { matched, judged } = await attribute(sql, diff, { ...options, network })
    const findings = { diff, matched, confirmedTo, head: head.number }
    const commands = commandsOf(findings)
    const others = await loadMany(
      sql,
      [...commands.keys()].filter((id) => !judged.has(id)),
    )
    const invoices = [...judged.values(), ...others].filter(({ id }) => commands.has(id))
    return { ...decide(findings, invoices, commands), judged }
  }
}

/**
 * Leaves out new transfers that may be x402 payments: their amount is one of our prices and they
 * name no invoice. The sender presents an x402 payment within seconds; until the transfer is
 * confirmed it is left for that. Not beside another one from the same sender to the same address in
 * its transaction: what a claim takes depends on the amounts of all of them.
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
 * Checks that missing transfers are gone because their block is. A node that merely leaves a
 * transfer out is not believed. Nor is one that answers with another block number: it does not have
 * the block, which held a transfer and so is not one that Solana skips.
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

/** The transaction, sender and recipient of a transfer. */
function routeOf({ txHash, from, to }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to}`
}

/** A transfer's key and block. */
function positionOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}
