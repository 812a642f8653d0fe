import type { Process } from '../support/topology.ts'

/**
 * The outcome of one attempt of a request: an HTTP status, `refused` if the connection broke, or
 * `silent` if no answer came in time.
 */
export type Try = {
  readonly what: string
  readonly at: string
  readonly outcome: number | 'refused' | 'silent'
  readonly atMs: number
  readonly tookMs: number
  /** The Retry-After header of the answer. */
  readonly retryAfter: string | null
  /** The body of a 5xx answer; null for any other. */
  readonly body: string | null
}

export type Answer = {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of several routes
  readonly data: any
  /** It took more than one attempt, so an earlier one may have succeeded unnoticed. */
  readonly isRetried: boolean
}

/**
 * A caller that follows the documentation: after a broken connection or a 5xx answer it retries at
 * another process.
 */
export type Client = {
  readonly tries: readonly Try[]
  call(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer>
  /** Makes one attempt; answers null if no answer came. */
  once(
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<{ readonly status: number; readonly text: string } | null>
}

const silentAfterMs = 15_000
const giveUpAfterMs = 120_000
const pauseMs = 200

export function createClient(processes: readonly Process[], apiKey: string): Client {
  const tries: Try[] = []
  let turn = 0

  async function attempt(
    place: number,
    ...[method, path, body, idempotencyKey]: Parameters<Client['once']>
  ) {
    const headers = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
    const { name, url } = processes[place % processes.length] as Process
    const startedMs = performance.now()
    const note = (
      outcome: Try['outcome'],
      retryAfter: string | null = null,
      answerBody: string | null = null,
    ) =>
      tries.push({
        what: `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ':id')}`,
        at: name,
        outcome,
        atMs: startedMs,
        tookMs: performance.now() - startedMs,
        retryAfter,
        body: answerBody,
      })
    try {
      const response = await fetch(url + path, {
        method,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(silentAfterMs),
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isFault = response.status >= 500
      note(response.status, response.headers.get('retry-after'), isFault ? text : null)
      return { status: response.status, text }
    } catch (error) {
      note((error as Error).name === 'TimeoutError' ? 'silent' : 'refused')
      return null
    }
  }

  return {
    tries,
    once: (...asked) => attempt(turn++, ...asked),
    async call(...asked) {
      const place = turn++
      const deadlineMs = performance.now() + giveUpAfterMs
      for (let tried = 0; performance.now() < deadlineMs; tried++) {
        const answer = await attempt(place + tried, ...asked)
        if (answer && answer.status < 500) {
          const { data } = answer.text ? JSON.parse(answer.text) : { data: null }
          return { status: answer.status, data, isRetried: tried > 0 }
        }
        await Bun.sleep(pauseMs)
      }
      throw new Error(`${asked[0]} ${asked[1]} got no answer in ${giveUpAfterMs} ms`)
    },
  }
}
