import type { Fault, RpcAnswer, RpcCall } from './rpc-relay.ts'

/** Each call of a request is refused, in words as providers use them. */
export function refusal(code: number, message: string, init?: ResponseInit): Fault {
  return (request) =>
    Response.json(
      request.map(({ id }) => errorOf(id, code, message)),
      init,
    )
}

/** One error for a request as a whole, as of a gateway that does not look into it. */
export function gatewayRefusal(code: number, message: string, init?: ResponseInit): Fault {
  return () => Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, init)
}

/** The text of a page, of a broken answer, of nothing. */
export function saying(body: string, init?: ResponseInit): Fault {
  return () => new Response(body, init)
}

/** Takes the question and never answers. */
export function silence(): Fault {
  return () => new Promise<never>(() => {})
}

/** The first half of the real answers: what is left of a body when a proxy gives up. */
export function halfAnAnswer(): Fault {
  return async (request, forward) => {
    const text = JSON.stringify(await forward(request))
    return new Response(text.slice(0, text.length / 2))
  }
}

/** Ends the connection in the middle of the body that its headers have promised. */
export function brokenConnection(): Fault {
  return async (request, forward) => {
    const bytes = new TextEncoder().encode(JSON.stringify(await forward(request)))
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(bytes.slice(0, bytes.length / 2))
        await Bun.sleep(5)
        controller.error()
      },
    })
    return new Response(body)
  }
}

/** Logs over more than `widest` blocks are refused in these words; everything else is answered. */
export function refusingRanges(widest: number, code: number, message: string): Fault {
  return perCall((call, ask) => {
    const [filter] = call.params as [{ fromBlock: string; toBlock: string }]
    const isRange = call.method === 'eth_getLogs'
    const isTooWide = isRange && Number(filter.toBlock) - Number(filter.fromBlock) >= widest
    return isTooWide ? errorOf(call.id, code, message) : ask(call)
  })
}

/** A request of more than `most` calls is refused as a whole in these words. */
export function refusingBatches(most: number, refuse: Fault): Fault {
  return async (request, forward) =>
    request.length > most ? refuse(request, forward) : Response.json(await forward(request))
}

/** Behind the one address stand two nodes: these methods are answered by another one. */
export function answeredElsewhere(methods: readonly string[], nodeUrl: string): Fault {
  return async (request, forward) => {
    const there = request.filter(({ method }) => methods.includes(method))
    const here = request.filter(({ method }) => !methods.includes(method))
    return Response.json([...(await forward(there, nodeUrl)), ...(await forward(here))])
  }
}

/** These methods find nothing: the node has the block and not yet what is in it. */
export function findingNothing(methods: readonly string[], nothing: unknown = null): Fault {
  return perCall((call, ask) =>
    methods.includes(call.method) ? { id: call.id, result: nothing } : ask(call),
  )
}

/** Solana's transactions are all of this version: who does not ask for it is not told of any. */
export function ofVersion(version: number): Fault {
  return perCall((call, ask) => {
    const [, options] = (call.params ?? []) as [
      unknown,
      { maxSupportedTransactionVersion?: number },
    ]
    const isTooNew = !(Number(options?.maxSupportedTransactionVersion) >= version)
    return call.method === 'getTransaction' && isTooNew
      ? errorOf(call.id, -32015, `Transaction version (${version}) is not supported`)
      : ask(call)
  })
}

/** Answers call by call; what `answer` does not make up itself it asks the node for. */
export function perCall(
  answer: (call: RpcCall, ask: AskNode) => RpcAnswer | Promise<RpcAnswer>,
): Fault {
  return async (request, forward) => {
    const ask: AskNode = async (call) => (await forward([call]))[0] as RpcAnswer
    return Response.json(await Promise.all(request.map((call) => answer(call, ask))))
  }
}

export type AskNode = (call: RpcCall) => Promise<RpcAnswer>

export function errorOf(id: number, code: number, message: string): RpcAnswer {
  return { id, error: { code, message } }
}
