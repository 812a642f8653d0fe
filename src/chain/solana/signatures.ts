import { type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import type { OneNode } from '../rpc/proven.ts'
import { commitment, nodeWith } from './blocks.ts'

export type Listed = { readonly signature: string; readonly slot: number; readonly err: unknown }

/** What follows `after` in an account's list; null: the newest entries. */
type Place = { readonly account: string; readonly after: Listed | null }

type Open = Place & { readonly before: readonly Listed[] }

export const pageSize = 1_000

/**
 * Nodes list newest first and know no ranges. It is remembered where full pages end, so ranges far
 * behind the head do not start at the head. Finalized entries never change.
 */
export function createSignatureReader(parts: Parts) {
  /** By node and account, newest first. */
  const ends = new Map<OneNode, Map<string, readonly Listed[]>>()
  let turn: Promise<unknown> = Promise.resolve()

  /**
   * The successful transactions that touch an account, oldest first. `slots` are those of the range
   * that hold blocks. One at a time, so the next ranges start where the first found pages to end.
   */
  function read(
    node: OneNode,
    accounts: readonly string[],
    range: BlockRange,
    at: { readonly slots: readonly number[]; readonly deadline: AbortSignal },
  ): Promise<readonly Listed[]> {
    const answer = turn.then(() => list(nodeWith(at.slots, node, range), endsAt(node)))
    turn = answer.catch(() => {})
    return answer

    async function list(witness: OneNode, endsOf: Map<string, readonly Listed[]>) {
      const found = new Map<string, Listed>()
      let open = accounts.map((account): Open => {
        const newer = (endsOf.get(account) ?? []).filter(({ slot }) => slot > range.to)
        endsOf.set(account, newer)
        return { account, after: newer.at(-1) ?? null, before: [] }
      })
      while (open.length > 0) {
        const places = open
        const calls = places.map((place) => signaturesCall(place, range.to))
        const readNext = (answer: unknown, at: number) =>
          readPage(answer, places[at]?.after ?? null)
        const pages = await askInParts(witness, calls, readNext, parts, at.deadline)
        for (const one of pages.flat()) {
          const isInRange = one.slot >= range.from && one.slot <= range.to
          if (isInRange && one.err === null) found.set(one.signature, one)
        }
        open = places.flatMap(({ account, before }, at) => {
          const page = pages[at] ?? []
          const oldest = page.at(-1)
          if (isLast(page, before) || !oldest) return []
          const after = endOfSlot(page)
          if (page.length === pageSize) endsOf.set(account, [...(endsOf.get(account) ?? []), after])
          return oldest.slot < range.from ? [] : [{ account, after, before: page }]
        })
      }
      // Nodes do not say where in its block a transaction is; any stable order will do.
      return [...found.values()].sort(
        (a, b) => a.slot - b.slot || (a.signature < b.signature ? -1 : 1),
      )
    }
  }

  function endsAt(node: OneNode): Map<string, readonly Listed[]> {
    const known = ends.get(node) ?? new Map<string, readonly Listed[]>()
    ends.set(node, known)
    return known
  }

  return { read }
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

/** Throws `lagging` where nothing is listed: the node does not know what the page follows. */
function readPage(answer: unknown, after: Listed | null): readonly Listed[] {
  if (!Array.isArray(answer)) throw new ChainError('invalid_answer', 'the signatures are no list')
  if (after && answer.length === 0)
    throw new ChainError('lagging', `the node does not know ${after.signature}, which was listed`)
  return answer.map(({ signature, slot, err }) => ({ signature, slot, err }))
}

/** `minContextSlot`: a lagging node would leave out what it has not seen, or list nothing. */
function signaturesCall({ account, after }: Place, to: number): Call {
  const minContextSlot = Math.max(to, after?.slot ?? 0)
  const before = after ? { before: after.signature } : {}
  const options = { commitment, minContextSlot, limit: pageSize, ...before }
  return { method: 'getSignaturesForAddress', params: [account, options] }
}
