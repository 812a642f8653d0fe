import { type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import type { OneNode } from '../rpc/proven.ts'
import { commitment, type HasBlock, nodeWith } from './blocks.ts'

export type Listed = { readonly signature: string; readonly slot: number; readonly err: unknown }

/** `slots`: the slots of the range that hold blocks. */
type At = {
  readonly headSlot: number
  readonly slots: readonly number[]
  readonly deadline: AbortSignal
}

const pageSize = 1_000
/** Entries of some 200 bytes kept in memory for each node. */
const mostKept = 50_000
/** A page is reused for so many ranges, as other nodes at the URL may lack some blocks. */
const rangesShown = 10
/** Nodes list recent slots late, so lists with them are read again: 25 s at 160 ms a slot. */
const unsettledSlots = 160

/** What follows signature `after` in an account's list; null: the newest entries. */
type Page = { readonly account: string; readonly after: Listed | null }

type Open = Page & { readonly before: readonly Listed[] }

type Kept = { readonly entries: readonly Listed[]; readonly hasBlock: HasBlock }

type Shown = { readonly answer: unknown; readonly hasBlock: HasBlock }

/** What was listed by a node that had reached slot `to`. */
type Listing = {
  readonly to: number
  readonly pages: Map<string, Kept>
  /** By account: where every full page ends, even of pages no longer kept. */
  readonly ends: Map<string, Listed[]>
  kept: number
}

/**
 * Nodes list newest first and know no ranges, so pages are kept and reused while ranges far behind
 * the head are read one after the other. Finalized entries never change.
 */
export function createSignatureReader(parts: Parts) {
  const listings = new Map<OneNode, Listing>()
  let turn: Promise<unknown> = Promise.resolve()

  /**
   * The successful transactions in a range that touch an account, each once, oldest first. One
   * question at a time: the first reads the pages for all.
   */
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
        // Kept pages would be gone through for ever.
        if (goneOn.has(nameOf(next)))
          throw new ChainError('lagging', `the node lists ${account} in ever another order`)
        goneOn.add(nameOf(next))
        return [next]
      })
    }
    // Nodes do not say where in its block a transaction is; any stable order will do.
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

/** The oldest known page end newer than `slot`. */
function endBefore({ ends }: Listing, account: string, slot: number): Listed | null {
  const newer = ends.get(account)?.filter((end) => end.slot > slot) ?? []
  return newer.reduce<Listed | null>((a, b) => (a && a.slot < b.slot ? a : b), null)
}

/** Pages are read from new to old and needed from old to new, so those read first go first. */
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

/** After the last slot listed whole: the nodes behind one URL order slots differently. */
export function endOfSlot<One extends { readonly slot: number }>(page: readonly One[]): One {
  const last = page.at(-1)
  // A slot that fills a page is only passed from within it.
  return (page.findLast(({ slot }) => slot > Number(last?.slot)) ?? page.at(-2)) as One
}

/**
 * Whether nothing follows a page. A short page does not show that, as a node may fail to read its
 * long-term storage; one with nothing new, or of a single slot, does.
 */
export function isLast<One extends { readonly signature: string; readonly slot: number }>(
  page: readonly One[],
  before: readonly One[],
): boolean {
  if (page.length === pageSize) return false
  const known = new Set(before.map(({ signature }) => signature))
  return page[0]?.slot === page.at(-1)?.slot || page.every((one) => known.has(one.signature))
}

/** Rejects with `lagging` where nothing is listed: the node does not know what the page follows. */
function readPage({ answer, hasBlock }: Shown, after: Listed | null): Kept {
  if (!Array.isArray(answer)) throw new ChainError('invalid_answer', 'the signatures are no list')
  if (after && answer.length === 0)
    throw new ChainError('lagging', `the node does not know ${after.signature}, which was listed`)
  return { entries: answer.map(({ signature, slot, err }) => ({ signature, slot, err })), hasBlock }
}

function nameOf({ account, after }: Page): string {
  return `${account} ${after?.signature ?? ''}`
}

/** `minContextSlot`: a lagging node would leave out what it has not seen, or list nothing. */
function signaturesCall({ account, after }: Page, listedTo: number): Call {
  const minContextSlot = Math.max(listedTo, after?.slot ?? 0)
  const before = after ? { before: after.signature } : {}
  const options = { commitment, minContextSlot, limit: pageSize, ...before }
  return { method: 'getSignaturesForAddress', params: [account, options] }
}
