import { readFile } from 'node:fs/promises'
import { retryAfterMs } from '../chain/rpc/fault.ts'

type Answered = {
  readonly status: number
  /** The code in the error body, such as `RATE_LIMITED`. */
  readonly answerCode?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** A bundle could not be read, which says nothing of its receipt. */
export class UnreadableBundle extends Error {
  override readonly name = 'UnreadableBundle'
  /** What a URL answered instead of a bundle; null where it is not an answer that is at fault. */
  readonly answered: Answered | null

  constructor(source: string, reason: string, answered: Answered | null = null) {
    super(`The bundle cannot be read from ${source}: ${reason}`)
    this.answered = answered
  }
}

const fetchLimitMs = 30_000

/**
 * The JSON in a file, at a URL, or on standard input (`-`). Rejects with `UnreadableBundle`, also
 * where a URL has not answered in full after `limitMs`.
 */
export async function readBundle(source: string, limitMs = fetchLimitMs): Promise<unknown> {
  try {
    if (source === '-') return await Bun.stdin.json()
    if (/^https?:/.test(source)) return await fetched(source, limitMs)
    return JSON.parse(await readFile(source, 'utf8'))
  } catch (error) {
    if (error instanceof UnreadableBundle) throw error
    throw new UnreadableBundle(source, (error as Error).message)
  }
}

async function fetched(url: string, limitMs: number): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(limitMs) })
  if (response.ok) return response.json()
  const { status } = response
  const answerCode = await codeIn(response)
  const waitMs = retryAfterMs(response)
  const retryAfterSeconds = waitMs === null ? undefined : waitMs / 1_000
  const said = answerCode ? `HTTP ${status} ${answerCode}` : `HTTP ${status}`
  const again = retryAfterSeconds === undefined ? '' : `, try again in ${retryAfterSeconds} s`
  throw new UnreadableBundle(url, said + again, { status, answerCode, retryAfterSeconds })
}

/** The code of our own errors; undefined where somebody else answers. */
async function codeIn(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: unknown } } | null
  const code = body?.error?.code
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined
}
