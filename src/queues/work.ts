import {
  confirm,
  credit,
  type Decided,
  decideInTurn,
  decidePayments,
  keyOf,
} from '../actors/payments.ts'
import { type Block, type Chain, ChainError, type Transfer } from '../chain/chain.ts'
import type * as Invoice from '../domain/invoice.ts'
import type { Network } from '../domain/network.ts'
import type { References } from '../domain/reference.ts'
import { type Candidate, candidateOf, type Match, match } from '../domain/settlement.ts'
import { type PaymentTrace, traceOf } from '../domain/x402-payment.ts'
import type { Asked, Meant } from '../storage/invoices.ts'
import type { StoredTransfer } from '../storage/transfers.ts'
import type { Reading } from './reading.ts'

/** What working out needs of storage; each function is one statement. */
export type WorkStore = {
  transfersIn(
    chain: Network,
    range: { from: number; to: number },
  ): Promise<readonly StoredTransfer[]>
  /** Those of the transactions that were x402 payments. */
  bought(chain: Network, txHashes: readonly string[]): Promise<ReadonlySet<string>>
  /** Those of the transactions that bring signed payments which somebody is buying something with, whoever sent them. */
  claimed(chain: Network, traces: readonly PaymentTrace[]): Promise<ReadonlySet<string>>
  /** Those of these addresses that were made for one invoice each. */
  depositsAmong(chain: Network, addresses: readonly string[]): Promise<ReadonlySet<string>>
  candidates(chain: Network, asked: Asked): Promise<readonly Meant[]>
  invoices(ids: readonly string[]): Promise<readonly Invoice.Invoice[]>
}

export type WorkOptions = {
  readonly chain: Chain
  readonly store: WorkStore
  readonly feeBasisPoints: number
  readonly references: References
  /** Amounts for which something is sold by x402. */
  readonly salesUsdcBase: ReadonlySet<bigint>
  readonly now: () => Date
  readonly newId: () => string
}

/** A reading of some blocks. */
export type Full = Reading & { readonly found: NonNullable<Reading['found']> }

/** What a reading changes. */
export type Work = {
  /** Transfers seen for the first time, or again after they had been reverted. */
  readonly inserted: readonly StoredTransfer[]
  /** Transfers on record whose state or block has changed. */
  readonly updated: readonly StoredTransfer[]
  readonly decided: readonly Decided[]
  /** The invoices that were looked at for it. */
  readonly meant: readonly Meant[]
}

/** Answers a function that works out what a reading changes, going by what is stored. Errors: those of the chain and the store. */
export function createWork(options: WorkOptions): (reading: Full) => Promise<Work> {
  const { chain, store, now } = options
  const { network } = chain

  async function workOut(reading: Full): Promise<Work> {
    const { found, head, confirmedTo } = reading
    const known = await store.transfersIn(network, { from: found.from, to: found.to })
    const news = ripe(compare(found.transfers, known), reading)
    await refuseSilentLoss(news.missing)
    const { matched, meant } = await attribute(news)
    const { commands, inserted, updated } = plan({ matched, news, head, confirmedTo })
    return { inserted, updated, decided: await decideAll(commands, meant), meant }
  }

  /**
   * Leaves out new transfers that may be x402 payments: they are of one of our prices and name no invoice. Their sender presents them
   * within seconds; until they are confirmed they are left to that.
   */
  function ripe(news: News, { confirmedTo }: Reading): News {
    const maySell = (transfer: Transfer) =>
      options.salesUsdcBase.has(transfer.usdcBase) && namedIn(transfer).length === 0
    const fresh = news.fresh.filter(
      (transfer) => transfer.blockNumber <= confirmedTo || !maySell(transfer),
    )
    return { ...news, fresh }
  }

  /** The invoices a payer named. The nonce of an authorization is a reference too, mostly to nothing of ours. */
  function namedIn({ references, writtenInvoiceIds = [] }: Transfer): readonly string[] {
    return [
      ...references.flatMap((reference) => options.references.read(reference) ?? []),
      ...writtenInvoiceIds,
    ]
  }

  /** A transfer that is gone must be gone because its block is; a node that merely leaves it out is not believed. */
  async function refuseSilentLoss(missing: readonly StoredTransfer[]): Promise<void> {
    for (const { blockNumber, blockHash, txHash } of missing) {
      const block = await chain.block(blockNumber)
      if (block !== null && block.hash !== blockHash) continue
      throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
    }
  }

  /** Matches new transfers to invoices as if missing ones were reverted already: after a reorganisation a payment may be in another block. */
  async function attribute({ fresh, missing }: News): Promise<Attributed> {
    if (fresh.length === 0) return { matched: [], meant: [] }
    const txHashes = [...new Set(fresh.map(({ txHash }) => txHash))]
    const incoming = fresh.map((transfer) => ({
      key: keyOf(transfer),
      txHash: transfer.txHash,
      from: transfer.from,
      to: transfer.to,
      usdcBase: transfer.usdcBase,
      blockTimeMs: transfer.blockTimeMs,
      namedInvoiceIds: namedIn(transfer),
    }))
    const unnamed = incoming.filter(({ namedInvoiceIds }) => namedInvoiceIds.length === 0)
    const amounts = [
      ...Map.groupBy(unnamed, ({ to, usdcBase }) => `${to} ${usdcBase}`).values(),
    ].map((same) => ({
      to: same[0]?.to ?? '',
      usdcBase: same[0]?.usdcBase ?? 0n,
      senders: same.map(({ from }) => from),
    }))
    const named = incoming.flatMap(({ namedInvoiceIds }) => namedInvoiceIds)
    const addresses = [...new Set(incoming.map(({ to }) => to))]
    const senders = [...new Set(unnamed.map(({ from }) => from))]
    const traces = fresh
      .filter(({ usdcBase }) => options.salesUsdcBase.has(usdcBase))
      .map((transfer) => traceOf(transfer, namedIn(transfer)))
    const [bought, claimed, deposits, meant, reopened] = await Promise.all([
      store.bought(network, txHashes),
      store.claimed(network, traces),
      store.depositsAmong(network, senders),
      store.candidates(network, { named, addresses, txHashes, amounts }),
      withoutPayments(missing),
    ])
    const candidates = meant.map(({ invoice, claims }) => candidateOf(invoice, claims))
    const foundById = new Map(candidates.map((candidate) => [candidate.invoiceId, candidate]))
    for (const candidate of reopened) {
      const claims = foundById.get(candidate.invoiceId)?.claims ?? []
      foundById.set(candidate.invoiceId, { ...candidate, claims })
    }
    const matches = match(
      network,
      incoming.map((transfer) => ({
        ...transfer,
        hasBought: bought.has(transfer.txHash) || claimed.has(transfer.txHash),
        isMovedOn: deposits.has(transfer.from),
      })),
      [...foundById.values()],
    )
    const matched = fresh.map((transfer, at) => ({ transfer, match: matches[at] as Match }))
    return { matched, meant }
  }

  async function withoutPayments(
    missing: readonly StoredTransfer[],
  ): Promise<readonly Candidate[]> {
    const gone = missing.filter(({ credit }) => credit !== null)
    const invoices = await store.invoices(gone.flatMap(({ credit }) => credit?.invoiceId ?? []))
    return invoices.map((invoice) => {
      const lost = gone.filter(({ credit }) => credit?.invoiceId === invoice.id)
      const commands = lost.map(
        (transfer): Invoice.Command => ({ kind: 'revert', key: keyOf(transfer) }),
      )
      return candidateOf(decideInTurn(invoice, commands, now()).after)
    })
  }

  function plan(seen: {
    matched: readonly Matched[]
    news: News
    head: Block
    confirmedTo: number
  }) {
    const commands = new Map<string, Invoice.Command[]>()
    const give = (invoiceId: string, command: Invoice.Command) => {
      const given = commands.get(invoiceId)
      if (given) given.push(command)
      else commands.set(invoiceId, [command])
    }
    const isConfirmed = (transfer: { blockNumber: number }) =>
      transfer.blockNumber <= seen.confirmedTo
    const confirmed = (transfer: StoredTransfer | Transfer) =>
      confirm(transfer, seen.head.number, options.newId)
    for (const transfer of seen.news.missing) {
      if (transfer.credit) give(transfer.credit.invoiceId, { kind: 'revert', key: keyOf(transfer) })
    }
    for (const { transfer, match } of seen.matched) {
      if (!('invoiceId' in match)) continue
      give(match.invoiceId, credit(transfer, match.matchedBy))
      if (isConfirmed(transfer)) give(match.invoiceId, confirmed(transfer))
    }
    const ripe = new Set(
      seen.news.present.filter((transfer) => transfer.state === 'seen' && isConfirmed(transfer)),
    )
    for (const transfer of ripe) {
      if (transfer.credit) give(transfer.credit.invoiceId, confirmed(transfer))
    }
    const inserted = seen.matched.map((matched) => recordOf(matched, isConfirmed(matched.transfer)))
    const updated = [
      ...seen.news.missing.map((transfer) => ({ ...transfer, state: 'reverted' as const })),
      ...seen.news.present
        .filter((transfer) => transfer.moved || ripe.has(transfer))
        .map((transfer) => ({
          ...transfer,
          state: isConfirmed(transfer) ? ('confirmed' as const) : transfer.state,
        })),
    ]
    return { commands, inserted, updated }
  }

  async function decideAll(
    commands: ReadonlyMap<string, readonly Invoice.Command[]>,
    meant: readonly Meant[],
  ): Promise<readonly Decided[]> {
    const known = meant.map(({ invoice }) => invoice).filter(({ id }) => commands.has(id))
    const knownIds = new Set(known.map(({ id }) => id))
    const others = await store.invoices([...commands.keys()].filter((id) => !knownIds.has(id)))
    return [...known, ...others].flatMap((before) => {
      const at = now()
      const { feeBasisPoints, newId } = options
      const given = commands.get(before.id) ?? []
      return decidePayments(before, given, { at, feeBasisPoints, newId }) ?? []
    })
  }

  return workOut
}

type Attributed = { readonly matched: readonly Matched[]; readonly meant: readonly Meant[] }
type Matched = { readonly transfer: Transfer; readonly match: Match }
type Present = StoredTransfer & { readonly moved: boolean }

type News = {
  /** Never seen, or seen again after it had been reverted. */
  readonly fresh: readonly Transfer[]
  /** On record and still there; `moved` when its block is another one now. */
  readonly present: readonly Present[]
  /** On record and no longer there. */
  readonly missing: readonly StoredTransfer[]
}

function compare(found: readonly Transfer[], known: readonly StoredTransfer[]): News {
  const live = new Map(
    known
      .filter(({ state }) => state !== 'reverted')
      .map((transfer) => [keyOf(transfer), transfer]),
  )
  const fresh: Transfer[] = []
  const present: Present[] = []
  for (const transfer of found) {
    const record = live.get(keyOf(transfer))
    if (!record) fresh.push(transfer)
    else {
      const { blockNumber, blockHash, blockTimeMs } = transfer
      present.push({
        ...record,
        blockNumber,
        blockHash,
        blockTimeMs,
        moved: blockHash !== record.blockHash,
      })
      live.delete(keyOf(transfer))
    }
  }
  return { fresh, present, missing: [...live.values()] }
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
