import { type Block, ChainError } from './chain.ts'
import { blockCall, readBlock } from './evm-blocks.ts'
import { readSentLogs, sentLogsCall, type TransferLog, toQuantity } from './evm-logs.ts'
import { asChainError, createRpc, deadlineMs, type NodeWatch } from './rpc.ts'
import type { Call } from './rpc-node.ts'
import { askInParts, type Parts } from './rpc-parts.ts'

/** What addresses hold of a token. Both reject with `ChainError` and nothing else, within ten seconds. */
export type Balances = {
  /**
   * What each of these addresses holds once block `at` is done, in their order and base units. Nodes that keep no old states know
   * that of the last 128 blocks or so.
   */
  held(addresses: readonly string[], at: number): Promise<readonly bigint[]>
  /** Every transfer above zero from one of these addresses (1,000 at most) in a range, in chain order, each once, and the range's last block. */
  sent(
    range: { readonly from: number; readonly to: number },
    addresses: readonly string[],
  ): Promise<{ readonly last: Block; readonly transfers: readonly TransferLog[] }>
}

/** Providers refuse long batches, and many at once. */
const parts: Parts = { size: 40, atOnce: 3 }

/** Of an EVM chain, by its row of the table of chains. */
export function evmBalances(options: {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly onNode?: NodeWatch
}): Balances {
  const { chainId: expectedChainId, rpcUrls: urls, onNode } = options
  const usdc = options.usdc.toLowerCase()
  const rpc = createRpc({ urls, expectedChainId, onNode })

  return {
    async held(addresses, at) {
      const calls = addresses.map((address) => balanceCall(usdc, address, at))
      try {
        const answers = await askInParts(rpc, calls, parts, AbortSignal.timeout(deadlineMs))
        return answers.map(readBalance)
      } catch (error) {
        throw asChainError(error)
      }
    },
    sent(range, addresses) {
      const lastTag = toQuantity(range.to)
      const calls = [blockCall(lastTag), sentLogsCall(range, usdc, addresses)]
      return rpc.read(calls, ([block, logs]) => ({
        last: readBlock(block, lastTag),
        transfers: readSentLogs(logs, usdc, addresses),
      }))
    },
  }
}

function balanceCall(usdc: string, address: string, at: number): Call {
  const data = `${balanceOfSelector}${address.slice(2).padStart(64, '0')}`
  return { method: 'eth_call', params: [{ to: usdc, data }, toQuantity(at)] }
}

function readBalance(answer: unknown): bigint {
  if (typeof answer === 'string' && answer.length === 66) return BigInt(answer)
  throw new ChainError('invalid_answer', `${JSON.stringify(answer)} is no balance`)
}

/** Of `balanceOf(address)`. */
const balanceOfSelector = '0x70a08231'
