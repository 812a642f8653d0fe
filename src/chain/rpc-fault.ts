import { ChainError, type ChainFault } from './chain.ts'

/** The node answered, and the answer is a JSON-RPC error. `fault` is what its words mean to the watcher. */
export class NodeError extends ChainError {
  readonly nodeMessage: string
  constructor(code: number, nodeMessage: string) {
    super(faultOf(code, nodeMessage), `the node answered ${code}: ${nodeMessage.slice(0, 300)}`)
    this.nodeMessage = nodeMessage
  }
}

const rateCodes: readonly number[] = [429, -32029, -32097, -32016]

const lagging =
  /beyond (?:the )?current head|requested was \d+|BlockOutOfRange|(?:block|header|one of the blocks)\b.{0,60}not (?:be )?found|unknown block|invalid block range params/i
// Solana's code for the first of these is a rate limit elsewhere.
const laggingSolana =
  /minimum context slot|node is (?:behind|unhealthy)|block not available for slot|block status not yet available/i
const rate =
  /rate.?limit|too many requests|requests? limit|requests per|request count|over.?capacity|capacity exceeded|compute units|throughput|quota/i
// Alchemy, Infura, QuickNode, Ankr, PublicNode, dRPC, Blast, reth, erigon and BSC all say it differently.
const range =
  /blocks? range|range (?:is |was )?too|ranges over|(?:wide|large|many) (?:blocks|results|logs)|too many blocks|(?:returned|returns) more than|limited to (?:a |at most )?[\d,]+|exceeds? (?:the )?max|logs? matched|response (?:size|is too)|too large|limit the query|query time|limit exceeded/i

/** What providers mean by an error. They agree on neither codes nor words, so both are tried, the clearer first. */
function faultOf(code: number, message: string): ChainFault {
  if (laggingSolana.test(message)) return 'lagging'
  if (rateCodes.includes(code) || rate.test(message)) return 'rate_limited'
  if (lagging.test(message)) return 'lagging'
  if (range.test(message)) return 'range_refused'
  return 'invalid_answer'
}
