import type { Rpc } from './rpc.ts'
import type { Call } from './rpc-node.ts'

/** How a long list of calls is asked: in requests of `size` calls, `atOnce` of them under way. */
export type Parts = { readonly size: number; readonly atOnce: number }

/** Asks for much in requests of a size nodes take, a few at a time. The answers are in the order of the calls; null where the node has none. */
export async function askInParts<Item>(
  rpc: Rpc,
  calls: readonly Call[],
  { size, atOnce }: Parts,
  deadline: AbortSignal,
): Promise<readonly (Item | null)[]> {
  const answers: (readonly unknown[])[] = []
  const parts = Math.ceil(calls.length / size)
  let next = 0
  async function takeTurns(): Promise<void> {
    for (let part = next++; part < parts; part = next++) {
      answers[part] = await rpc.ask(calls.slice(part * size, (part + 1) * size), deadline)
    }
  }
  await Promise.all(Array.from({ length: Math.min(parts, atOnce) }, takeTurns))
  return answers.flat() as (Item | null)[]
}
