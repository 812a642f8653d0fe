import { ChainError, type ChainFault } from './chain.ts'
import { NodeError } from './rpc-fault.ts'

export type Call = { readonly method: string; readonly params: readonly unknown[] }

/** JSON-RPC over the operator's URLs of one chain. Rejects with `ChainError` and nothing else. */
export type Rpc = {
  /**
   * Sends `calls` as one request to one node and answers their results in order; one failed call fails all. The next
   * URL is tried when a node is no help, until `deadline`.
   */
  ask(calls: readonly Call[], deadline?: AbortSignal): Promise<readonly unknown[]>
  /** The EVM chain the nodes serve: the expected one, or the one the first node named. */
  chainId(): Promise<number>
}

/** How a node tells which chain it serves: a method without arguments, and what its answer means. */
type Identity = { readonly method: string; read(answer: unknown): number | string }

/** Milliseconds within which every question to a chain is answered or given up. */
export const deadlineMs = 10_000

/**
 * `expectedChainId` null: whatever chain the first node names is then expected of all. `fetchTimeoutMs` bounds one attempt
 * at one URL, so that a silent node leaves time for the next.
 */
export function createRpc(options: {
  readonly urls: readonly string[]
  readonly expectedChainId: number | string | null
  readonly identity?: Identity
  readonly fetchTimeoutMs?: number | undefined
}): Rpc {
  const { urls, identity = evmIdentity, fetchTimeoutMs = 4_000 } = options
  const identityCall: Call = { method: identity.method, params: [] }
  let expected = options.expectedChainId
  let current = 0
  const checked = new Set<string>()

  async function ask(
    calls: readonly Call[],
    deadline = AbortSignal.timeout(deadlineMs),
  ): Promise<readonly unknown[]> {
    let first: ChainError | undefined
    const start = current
    for (let tried = 0; tried < urls.length && !deadline.aborted; tried++) {
      const at = (start + tried) % urls.length
      try {
        const results = await askOne(urls[at] ?? '', calls, deadline)
        current = at
        return results
      } catch (error) {
        if (!(error instanceof ChainError) || !worthAnotherNode(error.fault)) throw error
        first ??= error
      }
    }
    throw first ?? new ChainError('unreachable', 'no answer within the deadline')
  }

  async function askOne(url: string, calls: readonly Call[], deadline: AbortSignal) {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(fetchTimeoutMs)])
    // Asked together with the first question after every lost connection: somebody else may be at this address now.
    if (checked.has(url)) return post(url, calls, signal)
    const [answer, ...results] = await post(url, [identityCall, ...calls], signal)
    const served = identity.read(answer)
    expected ??= served
    if (served !== expected) {
      throw new ChainError('wrong_chain', `${hostOf(url)} serves chain ${served}, not ${expected}`)
    }
    checked.add(url)
    return results
  }

  async function post(url: string, calls: readonly Call[], signal: AbortSignal) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
        signal,
      })
      return resultsOf(await response.text(), response.status, calls)
    } catch (error) {
      if (error instanceof NodeError) throw error
      checked.delete(url)
      if (error instanceof ChainError) throw error
      throw new ChainError('unreachable', `${hostOf(url)}: ${(error as Error).message}`)
    }
  }

  async function chainId(): Promise<number> {
    if (expected === null) await ask([])
    return Number(expected)
  }

  return { ask, chainId }
}

const evmIdentity: Identity = { method: 'eth_chainId', read: Number }

function worthAnotherNode(fault: ChainFault): boolean {
  return fault !== 'range_refused' && fault !== 'lagging'
}

/** URLs of providers carry keys: only the host may be shown. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the node'
}

type Answer = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown } }

function resultsOf(text: string, status: number, calls: readonly Call[]): readonly unknown[] {
  const answers = parse(text, status)
  // A node that refuses a batch as a whole answers with one error instead of a list.
  const failed = (Array.isArray(answers) ? answers : [answers]).find((answer) => answer?.error)
  if (failed?.error) {
    const { code, message = JSON.stringify(failed.error) } = failed.error
    throw new NodeError(Number(code), String(message), status)
  }
  if (!Array.isArray(answers)) throw withoutAnswers(status)
  const byId = new Map(answers.map(({ id, result }) => [id, result]))
  return calls.map(({ method }, id) => {
    const result = byId.get(id)
    if (result === undefined) throw new ChainError('invalid_answer', `no answer to ${method}`)
    return result
  })
}

function parse(text: string, status: number): Answer | Answer[] {
  try {
    return JSON.parse(text)
  } catch {
    throw withoutAnswers(status)
  }
}

function withoutAnswers(status: number): ChainError {
  if (status === 429) return new ChainError('rate_limited', 'HTTP 429')
  if (status >= 500) return new ChainError('unreachable', `HTTP ${status}`)
  return new ChainError('invalid_answer', `HTTP ${status} without JSON-RPC answers`)
}
