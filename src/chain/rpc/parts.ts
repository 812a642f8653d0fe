import { type BlockRange, ChainError, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, deadlineOfOneRequest } from './deadline.ts'
import type { Call } from './json-rpc.ts'
import type { OneNode } from './proven.ts'

/** With `slowMs`, calls that time out are asked one by one for that long. */
export type Parts = { readonly size: number; readonly atOnce: number; readonly slowMs?: number }

/** Anybody can make a transaction that takes a node nine seconds to encode in base58. */
export const slowestMs = 30_000

export function requestsInRow(calls: number, { size, atOnce }: Parts, mostCalls: number): number {
  const turns = Math.ceil(calls / size / atOnce)
  return turns * Math.max(1, Math.ceil(Math.min(calls, size) / mostCalls))
}

const requestsInTime = 3

/** In a fixed time a large enough number of calls could never be read. */
export function timeFor(calls: number, parts: Parts, mostCalls: number): number {
  const requests = requestsInRow(calls, parts, mostCalls)
  return deadlineMs * Math.max(1, Math.ceil(requests / requestsInTime))
}

/** A range that runs out of time is read in smaller ones; a single block needs all its time. */
export function deadlineOfFound(
  { from, to }: BlockRange,
  neededMs: number,
  deadline: Deadline,
): Deadline {
  return from < to ? deadline : deadlineIn(neededMs)
}

/** Where `read` throws, the next URL is asked. */
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

  async function takeParts(): Promise<void> {
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

  await Promise.all(Array.from({ length: Math.min(parts, atOnce) }, takeParts))
  return items.flat()
}

function isOverTime(error: unknown): boolean {
  const isAway = error instanceof ChainError && error.fault === 'unreachable'
  return isAway || error instanceof OutOfTime
}
