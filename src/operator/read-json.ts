import { readFile } from 'node:fs/promises'
import { json } from 'node:stream/consumers'
import { retryAfterMs } from '../chain/rpc/fault.ts'

type Answered = {
  readonly status: number
  readonly answerCode?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Whatever it would have said. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  readonly answered: Answered | null

  constructor(source: string, reason: string, answered: Answered | null = null) {
    super(`Nothing can be read from ${source}: ${reason}`)
    this.answered = answered
  }
}

const fetchTimeoutMs = 30_000

/** The JSON in a file, at a URL, or on standard input (`-`). Rejects with `Unreadable`. */
export async function readJson(source: string, timeoutMs = fetchTimeoutMs): Promise<unknown> {
  try {
    if (source === '-') return await json(process.stdin)
    if (/^https?:/.test(source)) return await fetched(source, timeoutMs)
    return JSON.parse(await readFile(source, 'utf8'))
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(source, (error as Error).message)
  }
}

async function fetched(url: string, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  if (response.ok) return response.json()
  const { status } = response
  const answerCode = await codeIn(response)
  const waitMs = retryAfterMs(response)
  const retryAfterSeconds = waitMs === null ? undefined : waitMs / 1_000
  const answer = answerCode ? `HTTP ${status} ${answerCode}` : `HTTP ${status}`
  const retry = retryAfterSeconds === undefined ? '' : `, try again in ${retryAfterSeconds} s`
  throw new Unreadable(url, answer + retry, { status, answerCode, retryAfterSeconds })
}

async function codeIn(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: unknown } } | null
  const code = body?.error?.code
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined
}
