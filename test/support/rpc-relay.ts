export type RpcCall = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}
export type RpcAnswer = { id: number; result?: unknown; error?: { code: number; message: string } }
export type RpcRequest = readonly RpcCall[]
/** Asks the node at `nodeUrl`, by default the one behind the relay. */
export type Forward = (calls: RpcRequest, nodeUrl?: string) => Promise<RpcAnswer[]>
/** Makes the response to a request, instead of the node's answers or from them. */
export type Fault = (request: RpcRequest, forward: Forward) => Response | Promise<Response>

export type RpcRelay = ReturnType<typeof startRpcRelay>

/** An RPC provider in front of a real node, EVM or Solana, that fails on demand. */
export function startRpcRelay(nodeUrl: string) {
  const requests: string[][] = []
  let target = nodeUrl
  let fault: Fault | null = null
  let timesLeft = 0

  async function forward(calls: RpcRequest, url = target): Promise<RpcAnswer[]> {
    if (calls.length === 0) return []
    const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
    const response = await fetch(url, { method: 'POST', headers, body })
    return (await response.json()) as RpcAnswer[]
  }

  async function respond(request: RpcRequest): Promise<Response> {
    if (fault === null || timesLeft-- <= 0) return Response.json(await forward(request))
    return fault(request, forward)
  }

  /** Applies this fault (see `rpc-faults.ts`) to every request, or only to the next `times`. */
  function misbehave(next: Fault, times = Number.POSITIVE_INFINITY): void {
    fault = next
    timesLeft = times
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(incoming) {
      const body = (await incoming.json()) as RpcCall | RpcCall[]
      const request = Array.isArray(body) ? body : [body]
      requests.push(request.map(({ method }) => method))
      const response = await respond(request)
      return Array.isArray(body) ? response : single(response)
    },
  })

  return {
    url: server.url.href,
    /** The methods of each request so far, in order of arrival. */
    requests: requests as readonly (readonly string[])[],
    misbehave,
    behave() {
      fault = null
    },
    /** Lets the node answer and applies `change` to each answer. */
    edit(change: (answer: RpcAnswer, method: string) => RpcAnswer) {
      misbehave(async (request, ask) => {
        const methodOf = (id: number) => request.find((call) => call.id === id)?.method ?? ''
        const answers = await ask(request)
        return Response.json(answers.map((answer) => change(answer, methodOf(answer.id))))
      })
    },
    /** Forwards to another node from now on. */
    connect(url: string) {
      target = url
    },
    stop: () => server.stop(true),
  }
}

/** The response to a single call, which must not be a list. */
async function single(response: Response): Promise<Response> {
  const text = await response.clone().text()
  try {
    const answers: unknown = JSON.parse(text)
    if (!Array.isArray(answers)) return response
    return Response.json(answers[0], { status: response.status, headers: response.headers })
  } catch {
    return response
  }
}

const headers = { 'content-type': 'application/json' }
