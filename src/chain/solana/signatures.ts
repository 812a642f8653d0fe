import { type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import type { OneNode } from '../rpc/proven.ts'
import { commitment, type HasBlock, nodeWith } from './blocks.ts'

/** A transaction as nodes list it. */
export type Listed = { readonly signature: string; readonly slot: number; readonly err: unknown }

export type SignatureReader = {
  /**
   * The successful transactions in a range that touch one of the accounts, each once, oldest first,
   * as this node lists them.
   */
  read(
    node: OneNode,
    accounts: readonly string[],
    range: BlockRange,
    at: At,
  ): Promise<readonly Listed[]>
}

/** `slots`: the slots of the range that hold blocks. */
type At = {
  readonly headSlot: number
  readonly slots: readonly number[]
  readonly deadline: AbortSignal
}

const pageSize = 1_000
/** Entries kept in memory for each node, of some 200 bytes each. */
const mostKept = 50_000
/**
 * With a page, its node is asked for the blocks of so many ranges, for which the page is used then:
 * another node at its URL may lack some of them.
 */
const rangesShown = 10
/**
 * A node may list what a slot holds only some time after the slot, so a list with such recent slots
 * is read again: those of the last 25 seconds at least, where a slot takes 160 ms.
 */
const unsettledSlots = 160

/**
 * A page of an account's list: what follows signature `after`, or the newest entries if it is null.
 */
type Page = { readonly account: string; readonly after: Listed | null }

/** A page that is to be read, and the one read before it. */
type Open = Page & { readonly before: readonly Listed[] }

/** The entries of a page, and which blocks the node has that listed them. */
type Kept = { readonly entries: readonly Listed[]; readonly hasBlock: HasBlock }

/** The answer that is a page, and which blocks the answering node has. */
type Shown = { readonly answer: unknown; readonly hasBlock: HasBlock }

/** What was listed by a node that had reached slot `to`. */
type Listing = {
  readonly to: number
  readonly pages: Map<string, Kept>
  /** By account: where every full page read ends, even of pages no longer kept. */
  readonly ends: Map<string, Listed[]>
  kept: number
}

/**
 * Creates a reader of the lists of signatures. Nodes list newest first and know no ranges, so pages
 * are kept and reused while ranges far behind the head are read one after the other. Where the
 * pages are too many to keep, at least no page newer than the range is read again. Finalized
 * entries never change.
 */
export function createSignatureReader(parts: Parts): SignatureReader {
  const listings = new Map<OneNode, Listing>()
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs one question at a time: the first reads the pages for all. */
  function read(
    node: OneNode,
    accounts: readonly string[],
    range: BlockRange,
    at: At,
  ): Promise<readonly Listed[]> {
    const answer = turn.then(() => list(node, accounts, range, at))
    turn = answer.catch(() => {})
    return answer
  }

  async function list(
    node: OneNode,
    accounts: readonly string[],
    range: BlockRange,
    { headSlot, slots, deadline }: At,
  ) {
    const listing = listingOf(node, range, headSlot)
    const found = new Map<string, Listed>()
    const goneOn = new Set<string>()
    let open = accounts.map(
      (account): Open => ({ account, after: endBefore(listing, account, range.to), before: [] }),
    )
    while (open.length > 0) {
      const pages = await pagesOf(node, listing, open, { range, slots, deadline })
      for (const one of pages.flat()) {
        const isInRange = one.slot >= range.from && one.slot <= range.to
        if (isInRange && one.err === null) found.set(one.signature, one)
      }
      open = open.flatMap(({ account, before }, at) => {
        const page = pages[at] ?? []
        const oldest = page.at(-1)
        if (isLast(page, before) || !oldest || oldest.slot < range.from) return []
        const next = { account, after: endOfSlot(page), before: page }
        // Pages that are kept would be gone through for ever, and nothing else be done.
        if (goneOn.has(nameOf(next)))
          throw new ChainError('lagging', `the node lists ${account} in ever another order`)
        goneOn.add(nameOf(next))
        return [next]
      })
    }
    // Nodes do not tell where in its block a transaction is; any stable order will do.
    return [...found.values()].sort(
      (a, b) => a.slot - b.slot || (a.signature < b.signature ? -1 : 1),
    )
  }

  function listingOf(node: OneNode, { to }: BlockRange, headSlot: number): Listing {
    const known = listings.get(node)
    if (known && to <= known.to - unsettledSlots) return known
    const listing = emptyListing(Math.max(to, headSlot))
    listings.set(node, listing)
    return listing
  }

  async function pagesOf(
    node: OneNode,
    listing: Listing,
    wanted: readonly Page[],
    { range, slots, deadline }: { readonly range: BlockRange } & Omit<At, 'headSlot'>,
  ) {
    const made = slots.filter((slot) => slot <= range.to)
    const missing = wanted.filter((page) => {
      const kept = listing.pages.get(nameOf(page))
      return !kept || made.some((slot) => !kept.hasBlock(slot))
    })
    const calls = missing.map((page) => signaturesCall(page, listing.to))
    const to = Math.min(listing.to, range.to + (rangesShown - 1) * (range.to - range.from + 1))
    const witness = nodeWith(made, node, { from: range.from, to }, (answer, hasBlock) => ({
      answer,
      hasBlock,
    }))
    const readNext = (shown: unknown, at: number) =>
      readPage(shown as Shown, missing[at]?.after ?? null)
    const found = await askInParts(witness, calls, readNext, parts, deadline)
    const read = new Map(missing.map((page, at) => [page, found[at] as Kept]))
    const pages = wanted.map((page) => read.get(page) ?? listing.pages.get(nameOf(page)))
    for (const [page, kept] of read) keep(listing, page, kept)
    return pages.map((kept) => kept?.entries ?? [])
  }

  return { read }
}

/**
 * The oldest known page end that is newer than `slot`: the list continues from there with
 * everything up to `slot`. Null if there is none.
 */
function endBefore({ ends }: Listing, account: string, slot: number): Listed | null {
  const newer = ends.get(account)?.filter((end) => end.slot > slot) ?? []
  return newer.reduce<Listed | null>((a, b) => (a && a.slot < b.slot ? a : b), null)
}

/**
 * Keeps a page. Pages are read from new to old and needed from old to new, so those read first are
 * dropped first.
 */
function keep(listing: Listing, page: Page, kept: Kept): void {
  const { entries } = kept
  const name = nameOf(page)
  const end = entries.length < pageSize ? null : endOfSlot(entries)
  if (end) listing.ends.set(page.account, [...(listing.ends.get(page.account) ?? []), end])
  listing.kept += entries.length - (listing.pages.get(name)?.entries.length ?? 0)
  listing.pages.delete(name)
  listing.pages.set(name, kept)
  for (const [oldest, { entries }] of listing.pages) {
    if (listing.kept <= mostKept) return
    listing.pages.delete(oldest)
    listing.kept -= entries.length
  }
}

function emptyListing(to: number): Listing {
  return { to, pages: new Map(), ends: new Map(), kept: 0 }
}

/**
 * Where the list goes on after a full page: after the last slot that the page lists whole. Many
 * nodes may stand behind one URL, and those that list the rest of a slot may order what is in it
 * differently. Some of the page follows in any case.
 */
export function endOfSlot<One extends { readonly slot: number }>(page: readonly One[]): One {
  const last = page.at(-1)
  // A slot that fills a page is only got past from within it.
  return (page.findLast(({ slot }) => slot > Number(last?.slot)) ?? page.at(-2)) as One
}

/**
 * Whether nothing follows a page, read after the page `before`. One that is shorter than asked does
 * not tell that: a node that fails to read its long-term storage lists what else it has. It does
 * where it lists nothing that is new, or is of one slot, as is what follows the last slot but one.
 */
export function isLast<One extends { readonly signature: string; readonly slot: number }>(
  page: readonly One[],
  before: readonly One[],
): boolean {
  if (page.length === pageSize) return false
  const known = new Set(before.map(({ signature }) => signature))
  return page[0]?.slot === page.at(-1)?.slot || page.every((one) => known.has(one.signature))
}

/**
 * Reads a page; nodes tell more about each entry, which need not be kept. Rejects with `lagging`
 * where nothing is listed: the node does not know what the page follows, as one that was restarted
 * from a snapshot may not, though it has all blocks of the range.
 */
function readPage({ answer, hasBlock }: Shown, after: Listed | null): Kept {
  if (!Array.isArray(answer)) throw new ChainError('invalid_answer', 'the signatures are no list')
  if (after && answer.length === 0)
    throw new ChainError('lagging', `the node does not know ${after.signature}, which was listed`)
  return { entries: answer.map(({ signature, slot, err }) => ({ signature, slot, err })), hasBlock }
}

function nameOf({ account, after }: Page): string {
  return `${account} ${after?.signature ?? ''}`
}

/**
 * Asks for a page. `minContextSlot` matters because many nodes may stand behind one URL: a lagging
 * one would leave out what it has not seen, or not know the named signature and list nothing.
 */
function signaturesCall({ account, after }: Page, listedTo: number): Call {
  const minContextSlot = Math.max(listedTo, after?.slot ?? 0)
  const before = after ? { before: after.signature } : {}
  const options = { commitment, minContextSlot, limit: pageSize, ...before }
  return { method: 'getSignaturesForAddress', params: [account, options] }
}
