import { type BlockRange, ChainError } from './chain.ts'
import type { OneNode } from './rpc.ts'
import type { Call } from './rpc-node.ts'
import { askInParts, type Parts } from './rpc-parts.ts'
import { commitment, whoHas } from './solana-blocks.ts'

/** A transaction as nodes list it. */
export type Listed = { readonly signature: string; readonly slot: number; readonly err: unknown }

export type SignatureReader = {
  /** The successful transactions of the range that touch one of the accounts, each once, oldest first, as this node lists them. */
  read(
    node: OneNode,
    accounts: readonly string[],
    range: BlockRange,
    at: At,
  ): Promise<readonly Listed[]>
}

/** `slots`: those of the range that hold blocks. */
type At = {
  readonly headSlot: number
  readonly slots: readonly number[]
  readonly deadline: AbortSignal
}

const pageSize = 1_000
/** Some 200 bytes each. */
const mostKept = 50_000
/** Nodes may list what a slot holds only a while after it: what was listed so soon is listed anew. */
const unsettledSlots = 64

/** A page of an account's list: what comes after this signature, or the newest there is. */
type Page = { readonly account: string; readonly after: Listed | null }

/** What a node listed that had slot `to`. */
type Listing = {
  readonly to: number
  readonly pages: Map<string, readonly Listed[]>
  /** By account: the last signature of every page, also of those that are kept no longer. */
  readonly ends: Map<string, Listed[]>
  kept: number
}

/**
 * Nodes list newest first and know no ranges. While ranges far behind the head are read one after the other the pages are used again;
 * where they are too many to keep, at least none is read that is newer than the range. What is final is never listed otherwise later.
 */
export function createSignatureReader(parts: Parts): SignatureReader {
  const listings = new Map<OneNode, Listing>()
  let turn: Promise<unknown> = Promise.resolve()

  /** One question after the other, so that the first reads the pages for all. */
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
    const witness = whoHas(slots, node, range)
    const found = new Map<string, Listed>()
    let open = accounts.map((account) => ({
      account,
      after: endBefore(listing, account, range.to),
    }))
    while (open.length > 0) {
      const pages = await pagesOf(witness, listing, open, deadline)
      for (const one of pages.flat()) {
        const isInRange = one.slot >= range.from && one.slot <= range.to
        if (isInRange && one.err === null) found.set(one.signature, one)
      }
      open = open.flatMap(({ account }, at) => {
        const page = pages[at] ?? []
        const after = page.at(-1)
        if (page.length < pageSize || !after || after.slot < range.from) return []
        return [{ account, after }]
      })
    }
    // Nodes do not tell where in its block a transaction is; any order will do that is always the same.
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
    deadline: AbortSignal,
  ) {
    const missing = wanted.filter((page) => !listing.pages.has(nameOf(page)))
    const calls = missing.map((page) => signaturesCall(page, listing.to))
    const found = await askInParts(node, calls, readPage, parts, deadline)
    const read = new Map(missing.map((page, at) => [page, found[at] ?? []]))
    const pages = wanted.map((page) => read.get(page) ?? listing.pages.get(nameOf(page)) ?? [])
    for (const [page, entries] of read) keep(listing, page, entries)
    return pages
  }

  return { read }
}

/** The oldest known signature behind which everything up to this slot is listed. */
function endBefore({ ends }: Listing, account: string, slot: number): Listed | null {
  const newer = ends.get(account)?.filter((end) => end.slot > slot) ?? []
  return newer.reduce<Listed | null>((a, b) => (a && a.slot < b.slot ? a : b), null)
}

/** Pages are read from new to old and needed from old to new, so those that were read first are let go first. */
function keep(listing: Listing, page: Page, entries: readonly Listed[]): void {
  const end = entries.at(-1)
  if (end) listing.ends.set(page.account, [...(listing.ends.get(page.account) ?? []), end])
  listing.pages.set(nameOf(page), entries)
  listing.kept += entries.length
  for (const [name, oldest] of listing.pages) {
    if (listing.kept <= mostKept) return
    listing.pages.delete(name)
    listing.kept -= oldest.length
  }
}

function emptyListing(to: number): Listing {
  return { to, pages: new Map(), ends: new Map(), kept: 0 }
}

/** Nodes tell more of each, which need not be kept. */
function readPage(answer: unknown): readonly Listed[] {
  if (!Array.isArray(answer)) throw new ChainError('invalid_answer', 'the signatures are no list')
  return answer.map(({ signature, slot, err }) => ({ signature, slot, err }))
}

function nameOf({ account, after }: Page): string {
  return `${account} ${after?.signature ?? ''}`
}

/**
 * `minContextSlot`: behind one URL may stand many nodes, and one that lags would leave out what it has not seen, or not know the
 * signature that is named, and list nothing.
 */
function signaturesCall({ account, after }: Page, listedTo: number): Call {
  const minContextSlot = Math.max(listedTo, after?.slot ?? 0)
  const before = after ? { before: after.signature } : {}
  const options = { commitment, minContextSlot, limit: pageSize, ...before }
  return { method: 'getSignaturesForAddress', params: [account, options] }
}
