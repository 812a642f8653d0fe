/** Asks a node of the chain one thing by JSON-RPC. Rejects with `NodeError`. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** There is no verdict: a node did not answer, or not with sense. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  /** The node answered that it will not do what it was asked. */
  readonly isRefusal: boolean

  constructor(message: string, isRefusal = false) {
    super(message)
    this.isRefusal = isRefusal
  }
}

/** Rejects with `NodeError` also where the answers that `work` reads are not of the right form. */
export async function sensible<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof NodeError) throw error
    throw new NodeError(`the node answered nothing of sense: ${(error as Error).message}`)
  }
}

/** Asks the nodes at `urls` in turn, until one knows the answer. */
export function askNodes(urls: readonly string[]): Ask {
  return async (method, params) => {
    let failure: unknown = null
    for (const url of urls) {
      try {
        const result = await askNode(url, method, params)
        // Many nodes forget old transactions, and then answer as if there had been none.
        if (result !== null) return result
      } catch (error) {
        failure ??= error
      }
    }
    if (failure) throw failure
    return null
  }
}

const deadlineMs = 30_000

async function askNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(deadlineMs),
  }).catch((error: Error) => {
    throw new NodeError(`the node does not answer: ${error.message}`)
  })
  const answer = (await response.json().catch(() => null)) as Answer | null
  if (answer?.result !== undefined) return answer.result
  const status = response.ok ? '' : `HTTP ${response.status}`
  const texts = [status, answer?.error?.message].filter(Boolean)
  const isBusy = response.status === 429 || response.status >= 500
  throw new NodeError(
    `the node answered ${texts.join(': ') || 'nothing of sense'}`,
    answer?.error !== undefined && !isBusy,
  )
}

type Answer = { readonly result?: unknown; readonly error?: { readonly message?: string } }
