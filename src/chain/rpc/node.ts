import { ChainError, OutOfTime } from '../chain.ts'
import { readText } from './answer-text.ts'
import { type Deadline, waitUntil } from './deadline.ts'
import { isTooLong, NodeError, refusesBatch, TooFast } from './fault.ts'
import { type Call, keysIn, resultsOf } from './json-rpc.ts'
import { createPace } from './pace.ts'

/** How a node names its chain. */
export type Identity = { readonly method: string; read(answer: unknown): number | string }

export type RpcNode = ReturnType<typeof createNode>

/** The client of one URL. `refuseOther` throws where the node serves another chain. */
export function createNode(
  url: string,
  identity: Identity,
  refuseOther: (served: number | string, host: string) => void,
  requestTimeoutMs: number,
) {
  // Providers' URLs contain keys, so only the host may be shown.
  const host = URL.parse(url)?.host ?? 'the node'
  const keys = keysIn(url)
  let isChecked = false
  /** Found by trying: many nodes accept only short batches, or none. */
  let mostCalls = Number.POSITIVE_INFINITY
  const pace = createPace()

  async function ask(calls: readonly Call[], deadline: Deadline): Promise<readonly unknown[]> {
    // Checked again after every failure: the address may lead elsewhere.
    if (isChecked) return inLists(calls, deadline)
    const identifying = { method: identity.method, params: [] }
    const [served, ...results] = await inLists([identifying, ...calls], deadline)
    refuseOther(identity.read(served), host)
    isChecked = true
    return results
  }

  async function inLists(calls: readonly Call[], deadline: Deadline): Promise<unknown[]> {
    const results: unknown[] = []
    const known = mostCalls
    let mostFitting = Number.POSITIVE_INFINITY
    while (results.length < calls.length) {
      const most = mostCalls
      const length = Math.min(most, mostFitting, pace.most())
      const list = calls.slice(results.length, results.length + length)
      try {
        results.push(...(await inTime(list, { isSingle: most === 1, deadline })))
      } catch (error) {
        if (list.length > 1 && isTooLong(error)) {
          mostFitting = Math.floor(list.length / 2)
          continue
        }
        if (error instanceof TooFast && results.length > 0) continue
        if (!refusesBatch(error)) throw error
        if (most > 1) {
          mostCalls = Math.max(1, Math.min(mostCalls, Math.floor(list.length / 2)))
          continue
        }
        // A single call was refused, so the length was not the reason.
        mostCalls = known
        throw error
      }
    }
    return results
  }

  async function inTime(calls: readonly Call[], how: HowToPost): Promise<readonly unknown[]> {
    const { deadline } = how
    const atMs = pace.reserve(calls.length, performance.now(), deadline.endsAtMs)
    if (atMs === null || !(await waitUntil(atMs, deadline))) throw new OutOfTime()
    const sentAtMs = performance.now()
    try {
      const results = await send(calls, how)
      pace.passed(sentAtMs, performance.now())
      return results
    } catch (error) {
      if (!isRefusedForRate(error) || !pace.refused(sentAtMs, performance.now())) throw error
      throw error.retryAfterMs === null ? new TooFast(error) : error
    }
  }

  async function send(calls: readonly Call[], how: HowToPost): Promise<readonly unknown[]> {
    try {
      return await post({ url, host, keys, requestTimeoutMs }, calls, how)
    } catch (error) {
      if (!(error instanceof NodeError && error.httpStatus < 500)) isChecked = false
      throw error
    }
  }

  function recheckChain(): void {
    isChecked = false
  }

  return {
    host,
    ask,
    recheckChain,
    mostCalls: () => Math.min(mostCalls, pace.most()),
  }
}

type Target = {
  readonly url: string
  readonly host: string
  readonly keys: readonly string[]
  readonly requestTimeoutMs: number
}

async function post(
  { url, host, keys, requestTimeoutMs }: Target,
  calls: readonly Call[],
  { isSingle, deadline }: HowToPost,
): Promise<readonly unknown[]> {
  const list = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
  const timeout = AbortSignal.timeout(deadline.requestMs ?? requestTimeoutMs)
  const signal = AbortSignal.any([deadline, timeout])
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Nodes that refuse batches refuse a batch of one as well.
      body: JSON.stringify(isSingle ? list[0] : list),
      signal,
    })
    return resultsOf(await readText(response, host, signal), response, calls, keys)
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw new ChainError('unreachable', `${host}: ${(error as Error).message}`)
  }
}

function isRefusedForRate(error: unknown): error is ChainError {
  return error instanceof ChainError && error.fault === 'rate_limited' && !refusesBatch(error)
}

type HowToPost = { readonly isSingle: boolean; readonly deadline: Deadline }
