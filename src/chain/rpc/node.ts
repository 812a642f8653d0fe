import { ChainError, OutOfTime } from '../chain.ts'
import { type Deadline, waitUntil } from './deadline.ts'
import { NodeError, refusesBatch, refusesLongAnswers, retryAfterMs, TooFast } from './fault.ts'
import { createPace } from './pace.ts'

export type Call = { readonly method: string; readonly params: readonly unknown[] }

/**
 * How a node tells which chain it serves: a method without arguments, and how to read its answer.
 */
export type Identity = { readonly method: string; read(answer: unknown): number | string }

/** One of the operator's URLs of a chain. */
export type RpcNode = {
  /** The host of the node's URL, and all of it that may be shown: providers' URLs contain keys. */
  readonly host: string
  /** The results of `calls` in order; one failed call fails all. Rejects only with `ChainError`. */
  ask(calls: readonly Call[], deadline: Deadline): Promise<readonly unknown[]>
  /** The most calls the node takes in one request, as far as is known; infinite where it is not. */
  mostCalls(): number
  /** Has the node show with the next question which chain it serves. */
  doubt(): void
}

/** How often a longer list is tried than a node has taken before. */
const trialEveryMs = 600_000

/**
 * Creates the client of one node, which is taken to be silent where a request takes longer than
 * `requestTimeoutMs`, or than its deadline says. `refuseOther` throws where the chain the node says
 * it serves is not the expected one.
 */
export function createNode(
  url: string,
  identity: Identity,
  refuseOther: (served: number | string, host: string) => void,
  requestTimeoutMs: number,
): RpcNode {
  const host = URL.parse(url)?.host ?? 'the node'
  const keys = keysIn(url)
  let isChecked = false
  /**
   * The longest batch the node accepts, found out by trying: many providers take short ones only,
   * some none at all.
   */
  let mostCalls = Number.POSITIVE_INFINITY
  let triedMoreAtMs = Number.NEGATIVE_INFINITY
  const pace = createPace()

  async function ask(calls: readonly Call[], deadline: Deadline): Promise<readonly unknown[]> {
    // The chain is checked together with the first question after every failure: another node may
    // be at this address now.
    if (isChecked) return inLists(calls, deadline)
    const [served, ...results] = await inLists(
      [{ method: identity.method, params: [] }, ...calls],
      deadline,
    )
    refuseOther(identity.read(served), host)
    isChecked = true
    return results
  }

  async function inLists(calls: readonly Call[], deadline: Deadline): Promise<unknown[]> {
    const results: unknown[] = []
    const known = mostCalls
    const isTrial = calls.length > known && performance.now() - triedMoreAtMs > trialEveryMs
    if (isTrial) learn(Number.POSITIVE_INFINITY)
    // Not kept: it tells of these answers, which anybody may have made long.
    let mostFitting = Number.POSITIVE_INFINITY
    while (results.length < calls.length) {
      const most = mostCalls
      const length = Math.min(most, mostFitting, pace.most())
      const list = calls.slice(results.length, results.length + length)
      try {
        results.push(...(await inTime(list, { isSingle: most === 1, deadline })))
      } catch (error) {
        if (list.length > 1 && refusesLongAnswers(error)) {
          mostFitting = Math.floor(list.length / 2)
          continue
        }
        // What it has answered is not asked once more.
        if (error instanceof TooFast && results.length > 0) continue
        if (!refusesBatch(error)) throw error
        if (most === 1) {
          // It was no list that was refused.
          learn(known)
          throw error
        }
        learn(Math.max(1, Math.min(mostCalls, Math.floor(list.length / 2))))
      }
    }
    return results
  }

  function learn(most: number): void {
    mostCalls = most
    triedMoreAtMs = performance.now()
  }

  /** Posts a list as soon as the node's pace allows. */
  async function inTime(calls: readonly Call[], how: HowToPost): Promise<readonly unknown[]> {
    const { deadline } = how
    const atMs = pace.reserve(calls.length, performance.now(), deadline.endsAtMs)
    if (atMs === null || !(await waitUntil(atMs, deadline))) throw new OutOfTime()
    const sentAtMs = performance.now()
    try {
      const results = await post(calls, how)
      pace.passed(sentAtMs, performance.now())
      return results
    } catch (error) {
      if (!isRefusedForRate(error) || !pace.refused(sentAtMs, performance.now())) throw error
      throw error.retryAfterMs === null ? new TooFast(error) : error
    }
  }

  async function post(
    calls: readonly Call[],
    { isSingle, deadline }: HowToPost,
  ): Promise<readonly unknown[]> {
    const list = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        // Nodes that refuse batches refuse a batch of one as well.
        body: JSON.stringify(isSingle ? list[0] : list),
        signal: AbortSignal.any([
          deadline,
          AbortSignal.timeout(deadline.requestMs ?? requestTimeoutMs),
        ]),
      })
      return resultsOf(await response.text(), response, calls, keys)
    } catch (error) {
      if (error instanceof NodeError && error.httpStatus < 500) throw error
      isChecked = false
      if (error instanceof ChainError) throw error
      throw new ChainError('unreachable', `${host}: ${(error as Error).message}`)
    }
  }

  function doubt(): void {
    isChecked = false
  }

  return { host, ask, doubt, mostCalls: () => Math.min(mostCalls, pace.most()) }
}

function isRefusedForRate(error: unknown): error is ChainError {
  return error instanceof ChainError && error.fault === 'rate_limited' && !refusesBatch(error)
}

/** `isSingle`: a call by itself and not a list of one. */
type HowToPost = { readonly isSingle: boolean; readonly deadline: Deadline }

type Answer = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown } }

/**
 * The parts of a node's URL that may be keys, of it or of whoever uses it. Some repeat them in what
 * they refuse, which is logged.
 */
function keysIn(url: string): readonly string[] {
  const { username, password, pathname = '', searchParams = [] } = URL.parse(url) ?? {}
  const values = Array.from(searchParams, ([, value]) => value)
  const parts = [username ?? '', password ?? '', ...pathname.split('/'), ...values]
  return parts.filter((part) => part.length >= leastOfKey)
}

/** Shorter parts name versions and networks. */
const leastOfKey = 12

function resultsOf(
  text: string,
  response: Response,
  calls: readonly Call[],
  keys: readonly string[],
): readonly unknown[] {
  const parsed = parse(text, response)
  // A node that refuses a whole batch answers with one error instead of a list.
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  const failed = answers.find((answer) => answer?.error)
  if (failed?.error) {
    const { code, message = JSON.stringify(failed.error) } = failed.error
    const refused = answers.filter((answer) => answer?.error)
    const isOfRange = refused.some(({ id }) => {
      const call = id == null ? undefined : calls[Number(id)]
      return call ? isOfManyBlocks(call) : calls.some(isOfManyBlocks)
    })
    const shown = keys.reduce((said, key) => said.replaceAll(key, '…'), String(message))
    throw new NodeError(Number(code), shown, response, { isOfRange })
  }
  // Some gateways make text of the ids.
  const byId = new Map(answers.map((answer) => [String(answer?.id), answer?.result]))
  return calls.map(({ method }, id) => {
    const result = byId.get(String(id))
    if (result === undefined) throw withoutAnswers(response, `no answer to ${method}`)
    return result
  })
}

/** Whether a call asks about several blocks, of EVM chains or of Solana. */
export function isOfManyBlocks({ method, params }: Call): boolean {
  if (method === 'getBlocks') return true
  if (method !== 'eth_getLogs') return false
  const { fromBlock, toBlock } = params[0] as { fromBlock: unknown; toBlock: unknown }
  return fromBlock !== toBlock
}

function parse(text: string, response: Response): Answer | Answer[] {
  try {
    return JSON.parse(text)
  } catch {
    throw withoutAnswers(response, 'no JSON-RPC answers')
  }
}

function withoutAnswers(response: Response, complaint: string): ChainError {
  const { status } = response
  if (status === 429) return new ChainError('rate_limited', 'HTTP 429', retryAfterMs(response))
  if (status >= 500) return new ChainError('unreachable', `HTTP ${status}`, retryAfterMs(response))
  return new ChainError('invalid_answer', `HTTP ${status}: ${complaint}`)
}
