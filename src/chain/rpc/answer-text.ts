import { setTimeout } from 'node:timers/promises'
import { TooLong } from './fault.ts'

/** Of one answer, after decompression. */
export const mostBytes = 32 * 2 ** 20
/** Of all answers that a process is reading; what arrives in one piece may exceed it. */
export const mostBytesAtOnce = 64 * 2 ** 20
const pauseMs = 20

type Reading = { bytes: number }

/** The oldest first. */
const reading = new Set<Reading>()

/**
 * Reads an answer as soon as this process has room for it; until then the node has to wait. Throws
 * `TooLong` after `mostBytes`, and rejects when `signal` is aborted meanwhile.
 */
export async function readText(
  { body }: Response,
  host: string,
  signal: AbortSignal,
): Promise<string> {
  const own: Reading = { bytes: 0 }
  const parts: Uint8Array[] = []
  reading.add(own)
  try {
    for await (const part of body ?? []) {
      own.bytes += part.length
      if (own.bytes > mostBytes) throw new TooLong(host, mostBytes)
      parts.push(part)
      while (!hasRoom(own)) await setTimeout(pauseMs, undefined, { signal })
    }
    return Buffer.concat(parts).toString()
  } catch (error) {
    parts.length = 0
    // Otherwise the parts of several such answers pile up before they are collected.
    if (error instanceof TooLong) Bun.gc(true)
    throw error
  } finally {
    reading.delete(own)
  }
}

/** The oldest always has room, or all might wait for each other. */
function hasRoom(own: Reading): boolean {
  const [oldest, ...others] = reading
  const bytes = others.reduce((sum, one) => sum + one.bytes, 0)
  return own === oldest || bytes <= mostBytesAtOnce - mostBytes
}
