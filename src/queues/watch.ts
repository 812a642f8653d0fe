import {
  confirm,
  credit,
  type Decided,
  decideInTurn,
  decidePayments,
  keyOf,
} from '../actors/payments.ts'
import {
  type Block,
  type Chain,
  ChainError,
  type Recipients,
  type Transfer,
} from '../chain/chain.ts'
import type { Confirmations } from '../chain/registry.ts'
import type * as Invoice from '../domain/invoice.ts'
import type { Network } from '../domain/network.ts'
import type { References } from '../domain/reference.ts'
import { type Candidate, candidateOf, type Match, match } from '../domain/settlement.ts'
import type { Checkpoint, Cursor } from '../storage/cursors.ts'
import type { Asked } from '../storage/invoices.ts'
import type { Step } from '../storage/settlements.ts'
import type { StoredTransfer } from '../storage/transfers.ts'
import { createRangeReader } from './ranges.ts'

/** What the watcher needs of storage; each function is one statement. */
export type WatchStore = {
  cursor(chain: Network): Promise<Cursor | null>
  start(chain: Network, nextBlock: number, now: Date): Promise<void>
  /** When the first invoice on this chain was made. */
  firstInvoiceAt(chain: Network): Promise<Date | null>
  /** What invoices on this chain ask to be paid at; null if that is more than `most` addresses. */
  addresses(chain: Network, most: number | null): Promise<readonly string[] | null>
  /** Those of these addresses that are invoices'. */
  ours(chain: Network, addresses: readonly string[]): Promise<readonly string[]>
  transfersIn(
    chain: Network,
    range: { from: number; to: number },
  ): Promise<readonly StoredTransfer[]>
  /** Those of the transactions that were x402 payments. */
  bought(chain: Network, txHashes: readonly string[]): Promise<ReadonlySet<string>>
  candidates(chain: Network, asked: Asked): Promise<readonly Candidate[]>
  invoices(ids: readonly string[]): Promise<readonly Invoice.Invoice[]>
  commit(step: Step): Promise<boolean>
}

type Options = {
  readonly chain: Chain
  readonly store: WatchStore
  readonly confirmations: Confirmations
  readonly startBlock: number | null
  readonly maxRangeBlocks: number
  readonly feeBasisPoints: number
  readonly references: References
  readonly now: () => Date
  readonly newId: () => string
  readonly log: { warn(line: object, message: string): void }
  /** Before what was read from this block on is read anew: the chain may no longer be the one that was read. */
  readonly onReread: (fromBlock: number) => Promise<void>
  /** After a commit that changed invoices: their ids. */
  readonly onSettled: (invoiceIds: readonly string[]) => void
}

export type Watcher = {
  /** One commit of what one range of blocks holds. */
  step(): Promise<Stepped>
}

/** How far a step got. `isAdvancing`: it got further and there is more to read right away. */
export type Stepped = {
  readonly isAdvancing: boolean
  /** The blocks before this one were done before the step, … */
  readonly fromBlock: number
  /** … and those before this one are done now. */
  readonly nextBlock: number
  readonly headBlock: number
}

const keptCheckpoints = 64
/** A chain's clock and ours may differ by this much. */
const clockMarginMs = 600_000
/** Nodes may list the transfers of a block only a while after the block itself. */
const rescanEveryMs = 30_000
const rescanBlocks = 64

/**
 * Reads one chain for transfers to our addresses and settles invoices by them. Each step reads every block that is not confirmed yet
 * anew, so a reorganisation, a lagging node or a step that died half-way is made good by the next one.
 */
export function createWatcher(options: Options): Watcher {
  const { chain, store, now } = options
  const { network } = chain
  const ranges = createRangeReader(chain.transfers, options.maxRangeBlocks)
  let rescannedAtMs = Number.NEGATIVE_INFINITY

  async function step(): Promise<Stepped> {
    const head = await chain.head()
    const cursor = await openCursor(head)
    const { from, trusted } = await whereToReadOn(cursor, head)
    const standing = { fromBlock: from, nextBlock: from, headBlock: head.number }
    if (head.number < from) return { isAdvancing: false, ...standing }
    const start = readingStart(cursor, from)
    // Before the cursor moves on: who dies in between notices it again.
    if (start < cursor.nextBlock) await options.onReread(start)
    const confirmedTo = await lastConfirmed(chain, options.confirmations, head)
    const wanted = { from: start, to: Math.min(head.number, from + ranges.mostBlocks() - 1) }
    const answer = await ranges.read(wanted, await recipients())
    const { to } = answer
    if (to < from) return { isAdvancing: false, ...standing }
    await refuseMovedChain(trusted.at(-1))
    const known = await store.transfersIn(network, { from: start, to })
    const news = compare(answer.transfers, known)
    await refuseSilentLoss(news.missing)
    const matched = await attribute(news)
    const work = plan({ matched, news, head, confirmedTo })
    const changes = await decideAll(work.commands)
    const nextBlock = Math.max(from, Math.min(confirmedTo, to) + 1)
    const committed = await store.commit({
      chain: network,
      cursor,
      next: { nextBlock, checkpoints: checkpointsAfter(trusted, answer.last) },
      inserted: work.inserted,
      updated: work.updated,
      changes: changes.map(({ change }) => change),
      issued: changes.flatMap(({ issued }) => issued),
      revokedReceiptIds: changes.flatMap(({ revoked }) => revoked),
      now: now(),
    })
    if (!committed) return { isAdvancing: false, ...standing }
    if (changes.length > 0) options.onSettled(changes.map(({ change }) => change.after.id))
    return { ...standing, isAdvancing: to < head.number && nextBlock > from, nextBlock }
  }

  /** All our addresses, or where these are too many to name, whoever picks ours out. */
  async function recipients(): Promise<Recipients> {
    const named = await store.addresses(network, chain.mostAddresses)
    return named ?? ((found) => store.ours(network, found))
  }

  async function openCursor(head: Block): Promise<Cursor> {
    const known = await store.cursor(network)
    if (known) return known
    await store.start(network, options.startBlock ?? (await firstBlockOfInterest(head)), now())
    return (await store.cursor(network)) as Cursor
  }

  /** The chain's head, or, where invoices were made before anybody looked, the last block before the first of them. */
  async function firstBlockOfInterest(head: Block): Promise<number> {
    const firstAt = await store.firstInvoiceAt(network)
    if (firstAt === null) return head.number
    const sinceMs = firstAt.getTime() - clockMarginMs
    if (sinceMs > head.timestampMs) return head.number
    let [before, after] = [0, head.number]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      const block = await chain.block(middle)
      // A node that has thrown old blocks away knows none that matters.
      if (block === null || block.timestampMs < sinceMs) before = middle
      else after = middle
    }
    return before
  }

  /**
   * The cursor, or further back where the chain is no longer the one that was read: what has changed above the cursor may have
   * changed below it.
   */
  async function whereToReadOn({ nextBlock, checkpoints }: Cursor, head: Block): Promise<Trust> {
    // A node that is a block or two behind the last one has nothing to compare with the newest.
    const known = checkpoints.filter(({ number }) => number <= head.number)
    for (let at = known.length - 1; at >= 0; at--) {
      const { number, hash } = known[at] as Checkpoint
      const block = await chain.block(number)
      if (block === null) throw new ChainError('lagging', `the node does not have block ${number}`)
      const trusted = known.slice(0, at + 1)
      if (block.hash === hash && at === known.length - 1) return { from: nextBlock, trusted }
      if (block.hash === hash) return { from: Math.min(nextBlock, number + 1), trusted }
      options.log.warn({ network, block: number }, 'the chain was reorganised')
    }
    return { from: Math.min(nextBlock, known[0]?.number ?? nextBlock), trusted: [] }
  }

  /**
   * Throws `lagging` where the chain went another way while it was read: its new blocks would become the checkpoints, and nobody would
   * notice that those below them have changed as well.
   */
  async function refuseMovedChain(tip: Checkpoint | undefined): Promise<void> {
    if (tip === undefined) return
    const block = await chain.block(tip.number)
    if (block?.hash === tip.hash) return
    throw new ChainError('lagging', `block ${tip.number} changed while later ones were read`)
  }

  /** Now and then some of what has been read is read again, though never what was passed over at the start. */
  function readingStart({ checkpoints }: Cursor, from: number): number {
    const atMs = now().getTime()
    if (atMs - rescannedAtMs < rescanEveryMs) return from
    rescannedAtMs = atMs
    const firstRead = checkpoints[0]?.number ?? from
    return Math.min(from, Math.max(firstRead, from - rescanBlocks))
  }

  /** A transfer that is gone must be gone because its block is; a node that merely leaves it out is not believed. */
  async function refuseSilentLoss(missing: readonly StoredTransfer[]): Promise<void> {
    for (const { blockNumber, blockHash, txHash } of missing) {
      const block = await chain.block(blockNumber)
      if (block !== null && block.hash !== blockHash) continue
      throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
    }
  }

  /** What transfers mean, seen as if those that are gone had been taken back already: the same payment may have come back elsewhere. */
  async function attribute({ fresh, missing }: News): Promise<readonly Matched[]> {
    if (fresh.length === 0) return []
    const bought = await store.bought(
      network,
      fresh.map(({ txHash }) => txHash),
    )
    const incoming = fresh.map((transfer) => ({
      key: keyOf(transfer),
      txHash: transfer.txHash,
      from: transfer.from,
      to: transfer.to,
      usdcBase: transfer.usdcBase,
      blockTimeMs: transfer.blockTimeMs,
      hasBought: bought.has(transfer.txHash),
      namedInvoiceIds: [
        ...transfer.references.flatMap((reference) => options.references.read(reference) ?? []),
        ...(transfer.writtenInvoiceIds ?? []),
      ],
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
    const reopened = await withoutPayments(missing)
    const txHashes = [...new Set(incoming.map(({ txHash }) => txHash))]
    const addresses = [...new Set(incoming.map(({ to }) => to))]
    const found = await store.candidates(network, { named, addresses, txHashes, amounts })
    const foundById = new Map(found.map((candidate) => [candidate.invoiceId, candidate]))
    for (const candidate of reopened) {
      const claims = foundById.get(candidate.invoiceId)?.claims ?? []
      foundById.set(candidate.invoiceId, { ...candidate, claims })
    }
    const matches = match(network, incoming, [...foundById.values()])
    return fresh.map((transfer, at) => ({ transfer, match: matches[at] as Match }))
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
  ): Promise<readonly Decided[]> {
    const invoices = await store.invoices([...commands.keys()])
    return invoices.flatMap((before) => {
      const at = now()
      const { feeBasisPoints, newId } = options
      const given = commands.get(before.id) ?? []
      return decidePayments(before, given, { at, feeBasisPoints, newId }) ?? []
    })
  }

  return { step }
}

/** The newest block whose transfers count as confirmed. */
export async function lastConfirmed(
  chain: Pick<Chain, 'finalizedNumber'>,
  { blocks, finalized }: Confirmations,
  head: Block,
): Promise<number> {
  const final = finalized ? await chain.finalizedNumber() : null
  return final ?? head.number - blocks + 1
}

/** Where to read on, and the checkpoints that still hold. */
type Trust = { readonly from: number; readonly trusted: readonly Checkpoint[] }

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

function checkpointsAfter(trusted: readonly Checkpoint[], last: Block): readonly Checkpoint[] {
  const kept = trusted.filter(({ number }) => number < last.number)
  return [...kept, { number: last.number, hash: last.hash }].slice(-keptCheckpoints)
}
