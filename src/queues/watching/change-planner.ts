import {
  confirm,
  credit,
  type Decided,
  decideInTurn,
  decidePayments,
  keyOf,
  revert,
  settleAnew,
} from '../../actors/payments.ts'
import { type BlockRange, type Chain, ChainError, type Transfer } from '../../chain/chain.ts'
import type * as Invoice from '../../domain/invoice.ts'
import { type Candidate, candidateOf, type Incoming, match } from '../../domain/matching.ts'
import type { Network } from '../../domain/network.ts'
import type { References } from '../../domain/reference.ts'
import { type PaymentTrace, type Sent, sentKey, traceOf } from '../../domain/x402-payment.ts'
import type { CandidateInvoice, CandidateQuery } from '../../storage/candidates.ts'
import type { Step } from '../../storage/settlements.ts'
import type { StoredTransfer } from '../../storage/transfers.ts'
import {
  candidateQueryOf,
  candidatesOf,
  formerRows,
  heldBefore,
  incomingOf,
  namedIn,
  paymentsBefore,
} from './attribution.ts'
import type { Reading } from './reading.ts'
import {
  diffTransfers,
  type MatchedTransfer,
  recordsToWrite,
  type TransferDiff,
} from './transfer-diff.ts'

/** The storage functions that planning needs; each is one statement. */
export type PlanningStore = {
  /**
   * The recorded transfers in these blocks, and all of these transactions: a transfer that was in a
   * higher block, or reverted, may now be in one of these.
   */
  transfersIn(
    chain: Network,
    range: BlockRange,
    txHashes: readonly string[],
  ): Promise<readonly StoredTransfer[]>
  /** Which transfers, by their keys, were x402 payments. */
  usedForX402(chain: Network, sent: readonly Sent[]): Promise<ReadonlySet<string>>
  /**
   * Which transfers, by their keys, carry signed x402 payments that have been claimed, no matter
   * who put them on chain.
   */
  claimed(chain: Network, traces: readonly PaymentTrace[]): Promise<ReadonlySet<string>>
  /** Which of the addresses are deposit addresses, each of one invoice, on any chain. */
  depositsAmong(addresses: readonly string[]): Promise<ReadonlySet<string>>
  candidates(chain: Network, query: CandidateQuery): Promise<readonly CandidateInvoice[]>
  invoices(ids: readonly string[]): Promise<readonly Invoice.Invoice[]>
}

export type PlanningOptions = {
  readonly chain: Chain
  readonly store: PlanningStore
  readonly feeBasisPoints: number
  readonly references: References
  /** Prices of what is sold by x402. */
  readonly salesUsdcBase: ReadonlySet<bigint>
  readonly now: () => Date
  readonly newId: () => string
}

/** A reading that holds blocks. */
export type NonEmptyReading = Reading & { readonly found: NonNullable<Reading['found']> }

/** The changes that follow from a reading. */
export type Changes = Pick<Step, 'inserted' | 'updated'> & {
  readonly decided: readonly Decided[]
  /** The invoices examined as candidates. */
  readonly examined: readonly CandidateInvoice[]
}

/**
 * Creates a function that plans what a reading changes, given what is stored. Errors: those of the
 * chain and the store.
 */
export function createChangePlanner(
  options: PlanningOptions,
): (reading: NonEmptyReading) => Promise<Changes> {
  const { chain, store, now } = options
  const { network } = chain

  async function planChanges(reading: NonEmptyReading): Promise<Changes> {
    const { found, confirmedTo, head } = reading
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const stored = await store.transfersIn(network, { from: found.from, to: found.to }, txHashes)
    const diff = withoutLikelyPurchases(
      diffTransfers(stored, found.transfers, confirmedTo),
      confirmedTo,
    )
    await refuseSilentLoss(diff.missing, found.transfers)
    const { matched, examined } = await attribute(diff)
    const commands = commandsByInvoice(diff, matched, reading)
    const decided = await decideAll(commands, examined, head.number)
    return { ...recordsToWrite(diff, matched, confirmedTo), decided, examined }
  }

  /**
   * Leaves out new transfers that may be x402 payments: their amount is one of our prices and they
   * name no invoice. The sender presents an x402 payment within seconds; until the transfer is
   * confirmed it is left for that. Not beside another one from the same sender to the same address
   * in its transaction: what a claim takes depends on the amounts of all of them.
   */
  function withoutLikelyPurchases(diff: TransferDiff, confirmedTo: number): TransferDiff {
    const maySell = (transfer: Transfer) =>
      options.salesUsdcBase.has(transfer.usdcBase) &&
      namedIn(transfer, options.references).length === 0
    const others = [
      ...diff.fresh.filter((transfer) => !maySell(transfer)),
      ...diff.present.map(({ before }) => before),
    ]
    const together = new Set(others.map(wayOf))
    const fresh = diff.fresh.filter(
      (transfer) =>
        transfer.blockNumber <= confirmedTo || !maySell(transfer) || together.has(wayOf(transfer)),
    )
    return { ...diff, fresh }
  }

  /**
   * Checks that missing transfers are gone because their block is. A node that merely leaves a
   * transfer out is not believed. Nor is one that answers with another block number: it does not
   * have the block, which held a transfer and so is not one that Solana skips.
   */
  async function refuseSilentLoss(
    missing: readonly StoredTransfer[],
    found: readonly Transfer[],
  ): Promise<void> {
    const shown = new Set(found.map(placeOf))
    const lost = missing.filter((transfer) => !shown.has(placeOf(transfer)))
    for (const { blockNumber, blockHash, txHash } of lost) {
      const block = await chain.block(blockNumber, blockHash)
      if (block?.number !== blockNumber) {
        throw new ChainError('lagging', `the node does not have block ${blockNumber} of ${txHash}`)
      }
      if (block.hash !== blockHash) continue
      throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
    }
  }

  /**
   * Matches new transfers to invoices as if missing transfers were already reverted: after a
   * reorganisation a payment may be in another block. Transfers that paid something until now come
   * first, then those that did before they were gone for a while, then those that were held: later
   * ones could only have paid what those left. What is held on record as it is read is matched
   * again, and is among the results only if it pays something now.
   */
  async function attribute(diff: TransferDiff): Promise<Attributed> {
    const { fresh, held, present, missing, reverted } = diff
    if (fresh.length + held.length === 0) return { matched: [], examined: [] }
    const moving = new Set(missing.map(({ txHash }) => txHash))
    const former = formerRows(missing, reverted)
    const paidBefore = paymentsBefore(former)
    const formerlyHeldAs = heldBefore(former)
    const seen = fresh.map((transfer): Judged => {
      const incoming = incomingOf(transfer, options.references)
      const paid = paidBefore(incoming)
      if (paid.length > 0) return { transfer, read: { ...incoming, paidBefore: paid } }
      const heldAs = formerlyHeldAs(incoming)
      return { transfer, read: heldAs === null ? incoming : { ...incoming, heldAs } }
    })
    const {
      moved = [],
      back = [],
      held: heldBack = [],
      never = [],
    } = Object.groupBy(seen, ({ read }) => {
      if (read.paidBefore) return moving.has(read.txHash) ? 'moved' : 'back'
      return read.heldAs ? 'held' : 'never'
    })
    const again = held.map(
      ({ transfer, heldAs }): Judged => ({
        transfer,
        read: { ...incomingOf(transfer, options.references), heldAs },
      }),
    )
    const onRecord = new Set(again)
    const inTurn = [...moved, ...back, ...again, ...heldBack, ...never]
    const incoming = inTurn.map(({ read }) => read)
    const query = candidateQueryOf(incoming)
    const unnamed = query.amounts.flatMap(({ transfers }) => transfers)
    const senders = [...new Set(unnamed.map(({ from }) => from))]
    const traces = inTurn
      .filter(({ read }) => options.salesUsdcBase.has(read.usdcBase))
      .map(({ transfer, read }) => traceOf(transfer, read.namedInvoiceIds))
    const [used, claimed, deposits, examined, reopened] = await Promise.all([
      store.usedForX402(network, incoming),
      store.claimed(network, traces),
      store.depositsAmong(senders),
      store.candidates(network, query),
      withoutPayments(missing, reverted),
    ])
    const known = incoming.map((transfer) => ({
      ...transfer,
      isUsedForX402: used.has(sentKey(transfer)) || claimed.has(sentKey(transfer)),
      isMovedOn: deposits.has(transfer.from),
    }))
    const stay = present.map(({ before }) => before)
    const matches = match(network, known, candidatesOf(examined, reopened, stay, former))
    const byKey = new Map(inTurn.map((judged) => [judged.read.key, judged]))
    const matched = matches.flatMap((match) => {
      const judged = byKey.get(match.key) as Judged
      const { transfer } = judged
      return onRecord.has(judged) && 'heldAs' in match ? [] : [{ transfer, match }]
    })
    return { matched, examined }
  }

  /** The invoices that lose a payment now or lost one earlier, as they are without it. */
  async function withoutPayments(
    missing: readonly StoredTransfer[],
    reverted: readonly StoredTransfer[],
  ): Promise<readonly Candidate[]> {
    const ids = [...missing, ...reverted].flatMap(({ credit }) => credit?.invoiceId ?? [])
    const invoices = await store.invoices(ids)
    return invoices.map((invoice) => {
      const lost = missing.filter(({ credit }) => credit?.invoiceId === invoice.id)
      return candidateOf(decideInTurn(invoice, lost.map(revert), now()).after)
    })
  }

  /** The commands for each invoice, in order. */
  function commandsByInvoice(
    { missing, present }: TransferDiff,
    matched: readonly MatchedTransfer[],
    { head, confirmedTo }: Reading,
  ): ReadonlyMap<string, readonly InvoiceCommand[]> {
    const confirmation = (transfer: StoredTransfer | Transfer) =>
      confirm(keyOf(transfer), transfer, head.number, options.newId)
    const reverts = commandsFor(missing, revert)
    const credits = matched.flatMap(({ transfer, match }): readonly InvoiceCommand[] => {
      if (!('invoiceId' in match)) return []
      const { invoiceId, matchedBy } = match
      const credited = { invoiceId, command: credit(transfer, matchedBy) }
      if (transfer.blockNumber > confirmedTo) return [credited]
      return [credited, { invoiceId, command: confirmation(transfer) }]
    })
    const nowConfirmed = present.filter(
      ({ before, after }) => before.state === 'seen' && after.state === 'confirmed',
    )
    const confirms = commandsFor(
      nowConfirmed.map(({ after }) => after),
      confirmation,
    )
    return Map.groupBy([...reverts, ...credits, ...confirms], ({ invoiceId }) => invoiceId)
  }

  async function decideAll(
    commandsById: ReadonlyMap<string, readonly InvoiceCommand[]>,
    examined: readonly CandidateInvoice[],
    head: number,
  ): Promise<readonly Decided[]> {
    const known = examined.map(({ invoice }) => invoice).filter(({ id }) => commandsById.has(id))
    const knownIds = new Set(known.map(({ id }) => id))
    const others = await store.invoices([...commandsById.keys()].filter((id) => !knownIds.has(id)))
    return [...known, ...others].flatMap((before) => {
      const at = now()
      const { feeBasisPoints, newId } = options
      const commands = (commandsById.get(before.id) ?? []).map(({ command }) => command)
      // Only after losing a payment can a settlement have failed.
      const hasLost = commands.some(({ kind }) => kind === 'revert')
      const all = hasLost ? [...commands, settleAnew(head, newId)] : commands
      return decidePayments(before, all, { at, feeBasisPoints, newId }) ?? []
    })
  }

  return planChanges
}

/** A command for an invoice. */
type InvoiceCommand = { readonly invoiceId: string; readonly command: Invoice.Command }

/** The commands for the invoices to which transfers are credited. */
function commandsFor(
  transfers: readonly StoredTransfer[],
  commandOf: (transfer: StoredTransfer) => Invoice.Command,
): readonly InvoiceCommand[] {
  return transfers.flatMap((transfer) =>
    transfer.credit ? { invoiceId: transfer.credit.invoiceId, command: commandOf(transfer) } : [],
  )
}

/** A transfer, and what the matching rules are told of it. */
type Judged = { readonly transfer: Transfer; readonly read: Incoming }

type Attributed = {
  readonly matched: readonly MatchedTransfer[]
  readonly examined: readonly CandidateInvoice[]
}

/** The transaction, sender and recipient of a transfer. */
function wayOf({ txHash, from, to }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to}`
}

/** A transfer's key and block. */
function placeOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}
