import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Unreadable } from '../read-json.ts'

/** A line of a file. */
export type Line = {
  /** From 1. */
  readonly at: number
  /** Undefined: it is no JSON. */
  readonly json: unknown
  /** 0x and the SHA-256 of all bytes before it. */
  readonly hashBefore: () => string
}

const newline = 0x0a
const mostBytes = 64 * 1024 * 1024

/** The lines of a file, one in memory at a time. Rejects with `Unreadable`. */
export async function* linesOf(file: string): AsyncGenerator<Line, void> {
  const hash = createHash('sha256')
  const hashBefore = () => `0x${hash.copy().digest('hex')}`
  let at = 0
  for await (const bytes of byteLinesOf(file)) {
    at++
    yield { at, json: parsed(bytes), hashBefore }
    hash.update(bytes)
  }
}

/** Each with the newline that ends it. */
async function* byteLinesOf(file: string): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      rest = Buffer.concat([rest, chunk as Buffer])
      let from = 0
      for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline, from)) {
        yield rest.subarray(from, end + 1)
        from = end + 1
      }
      rest = rest.subarray(from)
      if (rest.length > mostBytes) throw new Error('a line is longer than 64 MiB')
    }
  } catch (error) {
    throw new Unreadable(file, (error as Error).message)
  }
  if (rest.length > 0) yield rest
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
