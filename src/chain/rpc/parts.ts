import { type BlockRange, ChainError, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, deadlineOfOneRequest } from './deadline.ts'
import type { Call } from './json-rpc.ts'
import type { OneNode } from './proven.ts'

/**
 * How a long list of calls is sent: in requests of `size` calls, `atOnce` at a time. With `slowMs`,
 * what is not answered in time is asked again one by one, and each may take that long.
 */
export type Parts = { readonly size: number; readonly atOnce: number; readonly slowMs?: number }

/**
 * How long a node may take for one transaction. Anybody can make one that takes nine seconds:
 * writing Solana's instruction data in base58 takes time by the square of its length.
 */
export const slowestMs = 30_000

/** How many requests in a row `askInParts` needs, of a node that takes `mostCalls` in one. */
export function requestsInRow(calls: number, { size, atOnce }: Parts, mostCalls: number): number {
  const turns = Math.ceil(calls / size / atOnce)
  return turns * Math.max(1, Math.ceil(Math.min(calls, size) / mostCalls))
}

/** Even a node that takes 3 s for each answers so many requests in a row in time. */
const requestsInTime = 3

/**
 * How long so many calls may take, in milliseconds, of nodes that take `mostCalls` in one request.
 * In a fixed time a large enough number could never be read.
 */
export function timeFor(calls: number, parts: Parts, mostCalls: number): number {
  const requests = requestsInRow(calls, parts, mostCalls)
  return deadlineMs * Math.max(1, Math.ceil(requests / requestsInTime))
}

/**
 * The deadline for reading what was found in `range`, which may take `neededMs`. Out of time, fewer
 * blocks are asked for; a single one cannot be divided, and anybody can fill it.
 */
export function deadlineOfFound(
  { from, to }: BlockRange,
  neededMs: number,
  deadline: Deadline,
): Deadline {
  return from < to ? deadline : deadlineIn(neededMs)
}

/**
 * What `read` makes of the answer to each call, in their order. Where `read` throws, an `Rpc` asks
 * its next URL for that part; with a single node everything is rejected.
 */
export async function askInParts<Item>(
  rpc: OneNode,
  calls: readonly Call[],
  read: (answer: unknown, at: number) => Item,
  { size, atOnce, slowMs }: Parts,
  deadline: Deadline,
): Promise<readonly Item[]> {
  const items: (readonly Item[])[] = []
  const parts = Math.ceil(calls.length / size)
  let next = 0

  async function takeTurns(): Promise<void> {
    for (let part = next++; part < parts; part = next++) {
      items[part] = await readPart(part * size)
    }
  }

  async function readPart(from: number): Promise<readonly Item[]> {
    const list = calls.slice(from, from + size)
    const readAll = (answers: readonly unknown[]) =>
      answers.map((answer, at) => read(answer, from + at))
    try {
      return await rpc.read(list, readAll, deadline)
    } catch (error) {
      if (slowMs === undefined || !isOverTime(error)) throw error
    }
    const singly: Item[] = []
    for (const [at, call] of list.entries()) {
      const until = deadlineOfOneRequest(slowMs)
      singly.push(await rpc.read([call], ([answer]) => read(answer, from + at), until))
    }
    return singly
  }

  await Promise.all(Array.from({ length: Math.min(parts, atOnce) }, takeTurns))
  return items.flat()
}

function isOverTime(error: unknown): boolean {
  const isAway = error instanceof ChainError && error.fault === 'unreachable'
  return isAway || error instanceof OutOfTime
}
