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
import { type Candidate, candidateOf, type Match, match } from '../../domain/matching.ts'
import type { Network } from '../../domain/network.ts'
import type { References } from '../../domain/reference.ts'
import { type PaymentTrace, type Sent, sentKey, traceOf } from '../../domain/x402-payment.ts'
import type { CandidateInvoice, CandidateQuery } from '../../storage/candidates.ts'
import type { StoredTransfer, TransferChange } from '../../storage/transfers.ts'
import {
  candidateQueryOf,
  candidatesOf,
  incomingOf,
  namedIn,
  paymentsBefore,
} from './attribution.ts'
import type { Reading } from './reading.ts'

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
  bought(chain: Network, sent: readonly Sent[]): Promise<ReadonlySet<string>>
  /**
   * Which transfers, by their keys, carry signed x402 payments that have been claimed, no matter
   * who put them on chain.
   */
  claimed(chain: Network, traces: readonly PaymentTrace[]): Promise<ReadonlySet<string>>
  /** Which of the addresses are deposit addresses, each of one invoice. */
  depositsAmong(chain: Network, addresses: readonly string[]): Promise<ReadonlySet<string>>
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
export type Changes = {
  /** Transfers seen for the first time, or again after they had been reverted. */
  readonly inserted: readonly StoredTransfer[]
  /**
   * Transfers on record that are gone, are now confirmed, are in another block, or whose key now
   * names another transfer.
   */
  readonly updated: readonly TransferChange[]
  readonly decided: readonly Decided[]
  /** The invoices examined as candidates. */
  readonly examined: readonly CandidateInvoice[]
}

/**
 * Creates a function that plans what a reading changes, given what is stored. Errors: those of
 * the chain and the store.
 */
export function createChangePlanner(
  options: PlanningOptions,
): (reading: NonEmptyReading) => Promise<Changes> {
  const { chain, store, now } = options
  const { network } = chain

  async function planChanges(reading: NonEmptyReading): Promise<Changes> {
    const { found } = reading
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const known = await store.transfersIn(network, { from: found.from, to: found.to }, txHashes)
    const news = withoutLikelyPurchases(compare(found.transfers, known), reading)
    await refuseSilentLoss(news.missing, found.transfers)
    const { matched, examined } = await attribute(news)
    const { told, inserted, updated } = plan(news, matched, reading)
    return {
      inserted,
      updated,
      decided: await decideAll(told, examined, reading.head.number),
      examined,
    }
  }

  /**
   * Leaves out new transfers that may be x402 payments: their amount is one of our prices and they
   * name no invoice. The sender presents an x402 payment within seconds; until the transfer is
   * confirmed it is left for that.
   */
  function withoutLikelyPurchases(news: News, { confirmedTo }: Reading): News {
    const maySell = (transfer: Transfer) =>
      options.salesUsdcBase.has(transfer.usdcBase) &&
      namedIn(transfer, options.references).length === 0
    const fresh = news.fresh.filter(
      (transfer) => transfer.blockNumber <= confirmedTo || !maySell(transfer),
    )
    return { ...news, fresh }
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
      const block = await chain.block(blockNumber)
      if (block?.number !== blockNumber) {
        throw new ChainError('lagging', `the node does not have block ${blockNumber} of ${txHash}`)
      }
      if (block.hash !== blockHash) continue
      throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
    }
  }

  /**
   * Matches new transfers to invoices as if missing transfers were already reverted: after a
   * reorganisation a payment may be in another block. Transfers that paid something before come
   * first; later ones could only have paid what those left.
   */
  async function attribute(news: News): Promise<Attributed> {
    if (news.fresh.length === 0) return { matched: [], examined: [] }
    const { missing, reverted } = news
    const paidBefore = paymentsBefore([...missing, ...reverted])
    const seen = news.fresh.map((transfer) => ({
      transfer,
      read: { ...incomingOf(transfer, options.references), paidBefore: paidBefore(transfer) },
    }))
    const { back = [], never = [] } = Object.groupBy(seen, ({ read }) =>
      read.paidBefore.length > 0 ? 'back' : 'never',
    )
    const inTurn = [...back, ...never]
    const incoming = inTurn.map(({ read }) => read)
    const query = candidateQueryOf(incoming)
    const senders = [...new Set(query.amounts.flatMap(({ senders }) => senders))]
    const traces = inTurn
      .filter(({ read }) => options.salesUsdcBase.has(read.usdcBase))
      .map(({ transfer, read }) => traceOf(transfer, read.namedInvoiceIds))
    const [bought, claimed, deposits, examined, reopened] = await Promise.all([
      store.bought(network, incoming),
      store.claimed(network, traces),
      store.depositsAmong(network, senders),
      store.candidates(network, query),
      withoutPayments(missing, reverted),
    ])
    const known = incoming.map((transfer) => ({
      ...transfer,
      hasBought: bought.has(sentKey(transfer)) || claimed.has(sentKey(transfer)),
      isMovedOn: deposits.has(transfer.from),
    }))
    const matches = match(network, known, candidatesOf(examined, reopened))
    const matched = inTurn.map(({ transfer }, at) => ({ transfer, match: matches[at] as Match }))
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

  /** The commands for each invoice, in order, and the records to write for the transfers. */
  function plan(news: News, matched: readonly Matched[], { head, confirmedTo }: Reading) {
    const isConfirmed = (transfer: { readonly blockNumber: number }) =>
      transfer.blockNumber <= confirmedTo
    const confirmation = (transfer: StoredTransfer | Transfer) =>
      confirm(keyOf(transfer), transfer, head.number, options.newId)
    const present = news.present.map(({ before, after }) => ({
      before,
      after: isConfirmed(after) ? { ...after, state: 'confirmed' as const } : after,
    }))
    const nowConfirmed = present.filter(
      ({ before, after }) => before.state === 'seen' && after.state === 'confirmed',
    )
    const reverts = toldOf(news.missing, revert)
    const credits = matched.flatMap(({ transfer, match }): readonly InvoiceCommand[] => {
      if (!('invoiceId' in match)) return []
      const { invoiceId, matchedBy } = match
      const credited = { invoiceId, command: credit(transfer, matchedBy) }
      if (!isConfirmed(transfer)) return [credited]
      return [credited, { invoiceId, command: confirmation(transfer) }]
    })
    const confirms = toldOf(
      nowConfirmed.map(({ after }) => after),
      confirmation,
    )
    const told = Map.groupBy([...reverts, ...credits, ...confirms], ({ invoiceId }) => invoiceId)
    const records = matched.map((one) => recordOf(one, isConfirmed(one.transfer)))
    return { told, ...writtenOf(records, { missing: news.missing, present }) }
  }

  async function decideAll(
    told: ReadonlyMap<string, readonly InvoiceCommand[]>,
    examined: readonly CandidateInvoice[],
    head: number,
  ): Promise<readonly Decided[]> {
    const known = examined.map(({ invoice }) => invoice).filter(({ id }) => told.has(id))
    const knownIds = new Set(known.map(({ id }) => id))
    const others = await store.invoices([...told.keys()].filter((id) => !knownIds.has(id)))
    return [...known, ...others].flatMap((before) => {
      const at = now()
      const { feeBasisPoints, newId } = options
      const commands = (told.get(before.id) ?? []).map(({ command }) => command)
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
function toldOf(
  transfers: readonly StoredTransfer[],
  commandOf: (transfer: StoredTransfer) => Invoice.Command,
): readonly InvoiceCommand[] {
  return transfers.flatMap((transfer) =>
    transfer.credit ? { invoiceId: transfer.credit.invoiceId, command: commandOf(transfer) } : [],
  )
}

/** The records to write for new transfers, for missing ones and for those still present. */
function writtenOf(
  records: readonly StoredTransfer[],
  { missing, present }: Pick<News, 'missing' | 'present'>,
): Pick<Changes, 'inserted' | 'updated'> {
  const inserted = new Map(records.map((record) => [keyOf(record), record]))
  const gone = missing.map((before) => {
    const reverted = { ...before, state: 'reverted' as const }
    return { before, after: inserted.get(keyOf(before)) ?? reverted }
  })
  for (const { before } of gone) inserted.delete(keyOf(before))
  const changed = present.filter(
    ({ before, after }) => before.state !== after.state || before.blockHash !== after.blockHash,
  )
  return { inserted: [...inserted.values()], updated: [...gone, ...changed] }
}

type Attributed = {
  readonly matched: readonly Matched[]
  readonly examined: readonly CandidateInvoice[]
}
type Matched = { readonly transfer: Transfer; readonly match: Match }

type News = {
  /** Never seen, or seen again after being reverted. */
  readonly fresh: readonly Transfer[]
  /** On record and still there, perhaps in another block. */
  readonly present: readonly TransferChange[]
  /** On record and no longer there. A fresh transfer may have the key of a missing one. */
  readonly missing: readonly StoredTransfer[]
  /** On record as reverted, of transactions that are there. */
  readonly reverted: readonly StoredTransfer[]
}

function compare(found: readonly Transfer[], known: readonly StoredTransfer[]): News {
  const live = known.filter(({ state }) => state !== 'reverted')
  const reverted = known.filter(({ state }) => state === 'reverted')
  const anew = takenAnew(found, live)
  const records = new Map(
    live.filter(({ txHash }) => !anew.has(txHash)).map((transfer) => [keyOf(transfer), transfer]),
  )
  const fresh: Transfer[] = []
  const present: TransferChange[] = []
  for (const transfer of found) {
    const before = records.get(keyOf(transfer))
    if (!before) fresh.push(transfer)
    else {
      const { blockNumber, blockHash, blockTimeMs } = transfer
      present.push({ before, after: { ...before, blockNumber, blockHash, blockTimeMs } })
      records.delete(keyOf(transfer))
    }
  }
  const lost = live.filter(({ txHash }) => anew.has(txHash))
  return { fresh, present, missing: [...records.values(), ...lost], reverted }
}

/**
 * Transactions that are now in another block and whose transfers are treated as new. Either their
 * transfers have other positions there (positions count through the block, so one transfer's key
 * may now name another), or they were confirmed, and a receipt may name the old block.
 */
function takenAnew(
  found: readonly Transfer[],
  live: readonly StoredTransfer[],
): ReadonlySet<string> {
  const foundIn = Map.groupBy(live.length === 0 ? [] : found, ({ txHash }) => txHash)
  const anew = new Set<string>()
  for (const [txHash, records] of Map.groupBy(live, ({ txHash }) => txHash)) {
    const transfers = foundIn.get(txHash) ?? []
    const isMoved = records.some(({ blockHash }) => blockHash !== transfers[0]?.blockHash)
    const isConfirmed = records.some(({ state }) => state === 'confirmed')
    if (isMoved && (isConfirmed || placesOf(transfers) !== placesOf(records))) anew.add(txHash)
  }
  return anew
}

/** A transfer's key and block. */
function placeOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}

/** The positions and contents of a transaction's transfers, for comparison. */
function placesOf(transfers: readonly (Transfer | StoredTransfer)[]): string {
  return transfers
    .map(({ position, from, to, usdcBase }) => `${position} ${from} ${to} ${usdcBase}`)
    .sort()
    .join()
}

function recordOf({ transfer, match }: Matched, isConfirmed: boolean): StoredTransfer {
  const { references: _, writtenInvoiceIds: __, ...rest } = transfer
  return {
    ...rest,
    state: isConfirmed ? 'confirmed' : 'seen',
    credit:
      'invoiceId' in match ? { invoiceId: match.invoiceId, matchedBy: match.matchedBy } : null,
    heldAs: 'heldAs' in match ? match.heldAs : null,
  }
}
