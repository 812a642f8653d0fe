import { decideInTurn, keyOf, revert } from '../../actors/payments.ts'
import { type BlockRange, type Chain, ChainError, type Transfer } from '../../chain/chain.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import type { References } from '../../domain/invoices/reference.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Candidate,
  candidateOf,
  type Incoming,
  match,
} from '../../domain/settlement/matching.ts'
import { type PaymentTrace, type Sent, sentKey, traceOf } from '../../domain/x402/settlement.ts'
import {
  type CandidateInvoice,
  type CandidateQuery,
  candidateQueryOf,
} from '../../storage/settlement/candidates.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'
import {
  candidatesOf,
  formerRows,
  heldBefore,
  incomingOf,
  namedIn,
  paymentsBefore,
} from './attribution.ts'
import { createDecisions, type DecisionOptions, type Written } from './decisions.ts'
import type { Reading } from './reading.ts'
import { diffTransfers, type MatchedTransfer, type TransferDiff } from './transfer-diff.ts'

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

export type PlanningOptions = Omit<DecisionOptions, 'network'> & {
  readonly chain: Chain
  readonly store: PlanningStore
  readonly references: References
  /** Prices of what is sold by x402. */
  readonly salesUsdcBase: ReadonlySet<bigint>
  /** The matching rules (`domain/matching.ts`); a test may bring ones that are wrong. */
  readonly rules?: typeof match
}

/** A reading that holds blocks. */
export type NonEmptyReading = Reading & { readonly found: NonNullable<Reading['found']> }

/** The changes that follow from a reading. */
export type Changes = Written & {
  /** By id, all invoices that the matching rules were told of, as they were told. */
  readonly judged: ReadonlyMap<string, Invoice.Invoice>
}

/**
 * Creates a function that plans what a reading changes, given what is stored. Errors: those of the
 * chain and the store.
 */
export function createChangePlanner(
  options: PlanningOptions,
): (reading: NonEmptyReading) => Promise<Changes> {
  const { chain, store, now, rules = match } = options
  const { network } = chain
  const { commandsOf, decide } = createDecisions({ ...options, network })

  async function planChanges(reading: NonEmptyReading): Promise<Changes> {
    const { found, confirmedTo, head } = reading
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const stored = await store.transfersIn(network, { from: found.from, to: found.to }, txHashes)
    const diff = withoutLikelyPurchases(
      diffTransfers(stored, found.transfers, confirmedTo),
      confirmedTo,
    )
    await refuseSilentLoss(diff.missing, found.transfers)
    const { matched, judged } = await attribute(diff)
    const findings = { diff, matched, confirmedTo, head: head.number }
    const commands = commandsOf(findings)
    const others = await store.invoices([...commands.keys()].filter((id) => !judged.has(id)))
    const invoices = [...judged.values(), ...others].filter(({ id }) => commands.has(id))
    return { ...decide(findings, invoices, commands), judged }
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
    if (fresh.length + held.length === 0) return { matched: [], judged: new Map() }
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
    const credits = [...missing, ...reverted].flatMap(({ credit }) => credit ?? [])
    const [used, claimed, deposits, examined, losing] = await Promise.all([
      store.usedForX402(network, incoming),
      store.claimed(network, traces),
      store.depositsAmong(senders),
      store.candidates(network, query),
      store.invoices([...new Set(credits.map(({ invoiceId }) => invoiceId))]),
    ])
    const reopened = losing.map((invoice) => withoutPayments(invoice, missing))
    const known = incoming.map((transfer) => ({
      ...transfer,
      isUsedForX402: used.has(sentKey(transfer)) || claimed.has(sentKey(transfer)),
      isMovedOn: deposits.has(transfer.from),
    }))
    const stay = present.map(({ before }) => before)
    const matches = rules(network, known, candidatesOf(examined, reopened, stay, former))
    const byKey = new Map(inTurn.map((judged) => [judged.read.key, judged]))
    const matched = matches.flatMap((match) => {
      const judged = byKey.get(match.key) as Judged
      const { transfer } = judged
      return onRecord.has(judged) && 'heldAs' in match ? [] : [{ transfer, match }]
    })
    const judged = [...examined.map(({ invoice }) => invoice), ...losing]
    return { matched, judged: new Map(judged.map((invoice) => [invoice.id, invoice])) }
  }

  /** An invoice that loses payments now, or lost some earlier, as it is without them. */
  function withoutPayments(
    invoice: Invoice.Invoice,
    missing: readonly StoredTransfer[],
  ): Candidate {
    const lost = missing.filter(({ credit }) => credit?.invoiceId === invoice.id)
    return candidateOf(decideInTurn(invoice, lost.map(revert), now()).after)
  }

  return planChanges
}

/** A transfer, and what the matching rules are told of it. */
type Judged = { readonly transfer: Transfer; readonly read: Incoming }

type Attributed = Pick<Changes, 'judged'> & { readonly matched: readonly MatchedTransfer[] }

/** The transaction, sender and recipient of a transfer. */
function wayOf({ txHash, from, to }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to}`
}

/** A transfer's key and block. */
function placeOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}
