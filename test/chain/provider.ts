type RpcAnswer = { id: number; result?: unknown; error?: { code: number; message: string } }
type Request = readonly {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}[]

/** An RPC provider in front of a real node, having a bad day when told to. */
export type Provider = {
  readonly url: string
  /** Requests that came in so far, each as the methods it asked for. */
  readonly requests: readonly (readonly string[])[]
  /** Passes everything on as it is. */
  behave(): void
  /** Answers each request without asking the node. */
  misbehave(answer: (request: Request) => Response | Promise<Response>): void
  /** Lets the node answer and edits each answer. */
  edit(change: (answer: RpcAnswer, method: string) => RpcAnswer): void
  /** Another node is behind the same address from now on. */
  connect(nodeUrl: string): void
  stop(): Promise<void>
}

export function startProvider(nodeUrl: string): Provider {
  const requests: string[][] = []
  let target = nodeUrl
  let respond = forward

  async function forward(request: Request): Promise<Response> {
    const init = { method: 'POST', headers, body: JSON.stringify(request) }
    return Response.json(await (await fetch(target, init)).json())
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const request = (await incoming.json()) as Request
      requests.push(request.map(({ method }) => method))
      return respond(request)
    },
  })

  return {
    url: server.url.href,
    requests,
    behave() {
      respond = forward
    },
    misbehave(answer) {
      respond = async (request) => answer(request)
    },
    edit(change) {
      respond = async (request) => {
        const answers = (await (await forward(request)).json()) as RpcAnswer[]
        const methodOf = (id: number) => request.find((call) => call.id === id)?.method ?? ''
        return Response.json(answers.map((answer) => change(answer, methodOf(answer.id))))
      }
    },
    connect(nodeUrl) {
      target = nodeUrl
    },
    stop: () => server.stop(true),
  }
}

/** The answer of a provider that refuses every call of a request. */
export function refusal(code: number, message: string): (request: Request) => Response {
  return (request) =>
    Response.json(request.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } })))
}

const headers = { 'content-type': 'application/json' }
