import { type BlockRange, ChainError, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, patientDeadline } from './deadline.ts'
import type { Call } from './node.ts'
import type { OneNode } from './rpc.ts'

/**
 * How a long list of calls is asked: in requests of `size` calls, `atOnce` of them at a time. With
 * `slowMs`, what is not answered in time is asked again one by one, and each may take that long.
 */
export type Parts = { readonly size: number; readonly atOnce: number; readonly slowMs?: number }

/**
 * How long a node that has just told of transactions may take for one of them. Anybody can make one
 * that takes nine seconds: what programs pass to each other on Solana is written in base58, which
 * takes nodes time by the square of its length.
 */
export const slowestMs = 30_000

/**
 * How many requests, each waiting for the one before, `askInParts` needs for so many calls of a
 * node that takes `mostCalls` in one.
 */
export function requestsInRow(calls: number, { size, atOnce }: Parts, mostCalls: number): number {
  const turns = Math.ceil(calls / size / atOnce)
  // Of a node that has refused no list yet, `mostCalls` is infinite.
  return turns * Math.max(1, Math.ceil(Math.min(calls, size) / mostCalls))
}

/** So many requests in a row even a node that takes three seconds for each answers in time. */
const requestsInTime = 3

/**
 * How long so many calls may take, in milliseconds, of nodes that take `mostCalls` in one request.
 * In a fixed time there would be a number of them from which on nothing is ever read.
 */
export function timeFor(calls: number, parts: Parts, mostCalls: number): number {
  const requests = requestsInRow(calls, parts, mostCalls)
  return deadlineMs * Math.max(1, Math.ceil(requests / requestsInTime))
}

/**
 * The deadline for reading what a look at `range` has found, which may take `neededMs`. Who gets no
 * answer in time asks for fewer blocks; a single one cannot be divided, and anybody can fill it.
 */
export function deadlineOfFound(
  { from, to }: BlockRange,
  neededMs: number,
  deadline: Deadline,
): Deadline {
  return from < to ? deadline : deadlineIn(neededMs)
}

/**
 * Asks a long list of calls in requests of a size that nodes accept, a few at a time. Answers what
 * `read` makes of each answer, in the order of the calls. Where `read` throws, an `Rpc` asks its
 * next URL for that part; a single node has no other URL, so everything is rejected.
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
      const until = patientDeadline(slowMs)
      singly.push(await rpc.read([call], ([answer]) => read(answer, from + at), until))
    }
    return singly
  }

  await Promise.all(Array.from({ length: Math.min(parts, atOnce) }, takeTurns))
  return items.flat()
}

/** Whether there was no answer in time; nor is there where no node can be reached. */
function isOverTime(error: unknown): boolean {
  const isAway = error instanceof ChainError && error.fault === 'unreachable'
  return isAway || error instanceof OutOfTime
}
