import { retryAfterSeconds } from '../../domain/retry-after.ts'
import { ChainError, type ChainFault } from '../chain.ts'

/** A JSON-RPC error. `code` is NaN where gateways in front of nodes give none. */
export class NodeError extends ChainError {
  readonly code: number
  readonly nodeMessage: string
  readonly httpStatus: number
  constructor(code: number, nodeMessage: string, response: Response, asked: Asked) {
    super(
      faultOf(code, nodeMessage, response.status, asked),
      `the node answered ${Number.isNaN(code) ? `HTTP ${response.status}` : code}: ${nodeMessage.slice(0, 300)}`,
      retryAfterMs(response),
    )
    this.code = code
    this.nodeMessage = nodeMessage
    this.httpStatus = response.status
  }
}

/** Its answer was not read to the end. */
export class TooLong extends ChainError {
  constructor(host: string, mostBytes: number) {
    super('unreachable', `${host}: an answer of more than ${mostBytes / 2 ** 20} MiB`)
  }
}

/** The node will be asked more slowly. */
export class TooFast extends ChainError {
  constructor({ message }: ChainError) {
    super('rate_limited', message)
  }
}

export type Asked = { readonly isOfRange: boolean }

export function retryAfterMs({ headers }: Response): number | null {
  const seconds = retryAfterSeconds(headers.get('retry-after'), new Date())
  return seconds === null ? null : 1_000 * seconds
}

/** Whether the node lacks what was asked for, and is healthy otherwise. */
export function isLacking(error: unknown): boolean {
  return isRefusal(error) || (error instanceof NodeError && error.fault === 'lagging')
}

/** Whether the node examined the request, and would refuse it again. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof NodeError) || error.fault !== 'invalid_answer') return false
  return isPruned(error) || !strangerStatuses.includes(error.httpStatus)
}

export function isPruned(error: unknown): boolean {
  if (!(error instanceof NodeError) || error.fault !== 'invalid_answer') return false
  return prunedCodes.includes(error.code) || pruned.test(error.nodeMessage)
}

export function refusesBatch(error: unknown): boolean {
  if (!(error instanceof NodeError) || !/\bbatch/i.test(error.nodeMessage)) return false
  const { code, nodeMessage, httpStatus, retryAfterMs } = error
  const isToWait = retryAfterMs !== null || isRateLimit(code, httpStatus)
  return !isToWait && !isOfContract(code, nodeMessage)
}

/** Whether fewer calls may have an answer that is short enough. */
export function isTooLong(error: unknown): boolean {
  if (error instanceof TooLong) return true
  if (!(error instanceof NodeError) || error.fault !== 'invalid_answer') return false
  return longAnswers.test(error.nodeMessage) && !isOfContract(error.code, error.nodeMessage)
}

/** Contracts choose their own words, so these must not be classified. */
function isOfContract(code: number, message: string): boolean {
  return code === 3 || /\breverted\b/i.test(message)
}

function isRateLimit(code: number, httpStatus: number): boolean {
  return rateStatuses.includes(httpStatus) || rateCodes.includes(code)
}

const strangerStatuses: readonly number[] = [401, 403]

// Of EIP-4444 and of a provider. Solana's codes mean other things on EVM.
const prunedCodes: readonly number[] = [4444, -32701]
const pruned = /\bpruned\b|historical|cleaned up|long-term storage|archive/i

const rateStatuses: readonly number[] = [402, 429]
const rateCodes: readonly number[] = [429, -32029, -32097]

const lagging =
  /beyond (?:the )?current head|requested was \d+|BlockOutOfRange|(?:block|header|one of the blocks)\b.{0,60}not (?:be )?found|unknown block|invalid block range params/i
// Before rate limits: on EVM, Solana's codes for these mean a rate limit and a timeout.
const laggingSolana =
  /minimum context slot|node is (?:behind|unhealthy)|block not available for slot|block status not yet available/i
const rate =
  /rate.?limit|too many requests?\b|requests? limit|requests? rate|requests per|request count|RPS limit|credits limited|over.?capacity|capacity (?:limit )?exceeded|compute units|throughput|quota|max usage|(?:daily|monthly|usage) limit|too much load/i
const range =
  /blocks? range|range (?:is |was )?too|ranges over|max range|blocks distance|(?:wide|large|many) (?:blocks|results|logs)|requested blocks|too many blocks|(?:returned|returns) more than|limited to (?:a |at most )?[\d,]+|exceeds? (?:the )?max|exceeds limit of|smaller than size|logs? matched|response (?:size|is too)|too large|limit the query/i
const longAnswers = /\bresponse (?:size|is too|too)\b/i
// For a question about many blocks it means too many; failing nodes say it too.
const limit = /(?<!gas )limit exceeded/i
const time = /query time|time(?:d )?out/i
const away = /no backend is currently healthy|^internal (?:server )?error$/i

/** Providers agree on neither codes nor words, so both are tried, the clearer first. */
function faultOf(
  code: number,
  message: string,
  httpStatus: number,
  { isOfRange }: Asked,
): ChainFault {
  if (isOfContract(code, message)) return 'invalid_answer'
  if (laggingSolana.test(message)) return 'lagging'
  if (isRateLimit(code, httpStatus) || rate.test(message)) return 'rate_limited'
  if (lagging.test(message)) return 'lagging'
  if (range.test(message)) return isOfRange ? 'range_refused' : 'invalid_answer'
  if (limit.test(message)) return isOfRange ? 'range_refused' : 'rate_limited'
  if (time.test(message)) return 'unreachable'
  return httpStatus >= 500 || away.test(message) ? 'unreachable' : 'invalid_answer'
}
