import { type Hex, keccak256 } from 'viem'
import type { Fault, RpcAnswer, RpcCall } from './rpc-relay.ts'

export function refusal(code: number, message: string, init?: ResponseInit): Fault {
  return (request) =>
    Response.json(
      request.map(({ id }) => errorOf(id, code, message)),
      init,
    )
}

/** One error for the whole batch, like a gateway that does not parse it. */
export function gatewayRefusal(code: number, message: string, init?: ResponseInit): Fault {
  return () => Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, init)
}

/** An HTML page, broken JSON, or nothing. */
export function saying(body: string, init?: ResponseInit): Fault {
  return () => new Response(body, init)
}

/** Goes on for ever. */
export function endlessAnswer(): Fault {
  const part = new TextEncoder().encode(' '.repeat(2 ** 16))
  return () => new Response(new ReadableStream({ pull: (body) => body.enqueue(part) }))
}

export function silence(): Fault {
  return () => new Promise<never>(() => {})
}

/** As when a proxy gives up. */
export function halfAnAnswer(): Fault {
  return async (request, forward) => {
    const text = JSON.stringify(await forward(request))
    return new Response(text.slice(0, text.length / 2))
  }
}

/** In the middle of the body. */
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

/** Refuses `eth_getLogs` over more than `widest` blocks. */
export function refusingRanges(widest: number, code: number, message: string): Fault {
  return perCall((call, ask) => {
    const [filter] = call.params as [{ fromBlock: string; toBlock: string }]
    const isRange = call.method === 'eth_getLogs'
    const isTooWide = isRange && Number(filter.toBlock) - Number(filter.fromBlock) >= widest
    return isTooWide ? errorOf(call.id, code, message) : ask(call)
  })
}

/**
 * Like an EVM node that has lost all others: knows no later block and keeps transactions to itself.
 */
export function cutOffAt(last: string): Fault {
  return perCall(async (call, ask) => {
    const [first, tag] = call.params
    switch (call.method) {
      case 'eth_sendRawTransaction':
        return { id: call.id, result: keccak256(first as Hex) }
      case 'eth_getTransactionCount':
        return ask({ ...call, params: [first, isLater(tag) ? last : tag] })
      case 'eth_getBlockByNumber':
        if (first === 'latest') return ask({ ...call, params: [last, tag] })
        return isLater(first) ? { id: call.id, result: null } : ask(call)
      case 'eth_getTransactionReceipt': {
        const answer = await ask(call)
        const { blockNumber } = (answer.result ?? {}) as { blockNumber?: string }
        return isLater(blockNumber) ? { id: call.id, result: null } : answer
      }
      default:
        return ask(call)
    }
  })

  function isLater(tag: unknown): boolean {
    return !(Number(tag) <= Number(last))
  }
}

/** Like a node that has pruned them (EIP-4444). */
export function refusingBlocksBefore(first: number): Fault {
  return perCall((call, ask) => {
    const [asked] = call.params as [string | { fromBlock: string }]
    const isOfBlocks = ['eth_getBlockByNumber', 'eth_getLogs'].includes(call.method)
    const number = isOfBlocks && Number(typeof asked === 'string' ? asked : asked.fromBlock)
    const isOld = number !== false && number < first
    return isOld ? errorOf(call.id, 4444, 'pruned history unavailable') : ask(call)
  })
}

export function refusingBatches(most: number, refuse: Fault): Fault {
  return async (request, forward) =>
    request.length > most ? refuse(request, forward) : Response.json(await forward(request))
}

/** Whether so many more calls are taken in this second. */
export function takingPerSecond(perSecond: number): (calls: number, atMs: number) => boolean {
  const second = { startMs: 0, calls: 0 }
  return (calls, atMs) => {
    if (atMs - second.startMs >= 1_000) Object.assign(second, { startMs: atMs, calls: 0 })
    if (second.calls + calls > perSecond) return false
    second.calls += calls
    return true
  }
}

export function refusingMoreThan(perSecond: number): Fault {
  const takes = takingPerSecond(perSecond)
  return async (request, forward) =>
    takes(request.length, performance.now())
      ? Response.json(await forward(request))
      : new Response('', { status: 429 })
}

/** Answers until the answers are longer than this, like geth with 25 MB. */
export function refusingLongAnswers(mostBytes: number): Fault {
  return async (request, forward) => {
    let bytes = 0
    const answers = (await forward(request)).map((answer) => {
      if (bytes > mostBytes) return errorOf(answer.id, -32003, 'response too large')
      bytes += JSON.stringify(answer.result).length
      return answer
    })
    return Response.json(answers)
  }
}

/** Like a provider with two nodes behind one address. */
export function answeredElsewhere(methods: readonly string[], nodeUrl: string): Fault {
  return async (request, forward) => {
    const there = request.filter(({ method }) => methods.includes(method))
    const here = request.filter(({ method }) => !methods.includes(method))
    return Response.json([...(await forward(there, nodeUrl)), ...(await forward(here))])
  }
}

/** Like a node that has a block's header but not its contents yet. */
export function findingNothing(methods: readonly string[], nothing: unknown = null): Fault {
  return perCall((call, ask) =>
    methods.includes(call.method) ? { id: call.id, result: nothing } : ask(call),
  )
}

/** Like an EVM node that has not got them yet. */
export function withoutLogs(): Fault {
  return perCall(async (call, ask) => {
    const answer = await ask(call)
    if (call.method !== 'eth_getTransactionReceipt' || !answer.result) return answer
    return { ...answer, result: { ...answer.result, logs: [] } }
  })
}

/** Refuses a `getTransaction` that does not accept this version. */
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

/** Answers everything as if these transactions did not exist. */
export function denying(...txHashes: readonly unknown[]): Fault {
  return perCall(async (call, ask) => {
    const answer = await ask(call)
    if (txHashes.includes(call.params[0])) return { ...answer, result: null }
    if (call.method !== 'eth_getLogs') return answer
    const logs = answer.result as readonly { readonly transactionHash: string }[]
    return { ...answer, result: logs.filter((log) => !txHashes.includes(log.transactionHash)) }
  })
}

/** `answer` can ask the real node for what it does not make up. */
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
