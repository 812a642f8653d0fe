import { ChainError } from '../chain.ts'
import { NodeError, retryAfterMs } from './fault.ts'

export type Call = { readonly method: string; readonly params: readonly unknown[] }

type Answer = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown } }

/** The results in the order of `calls`. `keys` are cut from logged errors. */
export function resultsOf(
  text: string,
  response: Response,
  calls: readonly Call[],
  keys: readonly string[],
): readonly unknown[] {
  const parsed = parse(text, response)
  // A node that refuses a whole batch answers with one error instead of a list.
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  const refused = answers.filter((answer) => answer?.error)
  const [failed] = refused
  if (failed?.error) {
    const { code, message = JSON.stringify(failed.error) } = failed.error
    const isOfRange = refused.some(({ id }) => {
      const call = id == null ? undefined : calls[Number(id)]
      return call ? isOfManyBlocks(call) : calls.some(isOfManyBlocks)
    })
    const shown = keys.reduce((text, key) => text.replaceAll(key, '…'), String(message))
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

/** The parts of a URL that may be API keys; some nodes repeat them in errors. */
export function keysIn(url: string): readonly string[] {
  const { username, password, pathname = '', searchParams = [] } = URL.parse(url) ?? {}
  const values = Array.from(searchParams, ([, value]) => value)
  const parts = [username ?? '', password ?? '', ...pathname.split('/'), ...values]
  return parts.filter((part) => part.length >= leastOfKey)
}

const leastOfKey = 12

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

function withoutAnswers(response: Response, problem: string): ChainError {
  const { status } = response
  if (status === 429) return new ChainError('rate_limited', 'HTTP 429', retryAfterMs(response))
  if (status >= 500) return new ChainError('unreachable', `HTTP ${status}`, retryAfterMs(response))
  return new ChainError('invalid_answer', `HTTP ${status}: ${problem}`)
}
