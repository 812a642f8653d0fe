import { type BlockRange, ChainError } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { asChainError } from '../rpc/failover.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import { createRpc } from '../rpc/rpc.ts'
import { blockCall, readBlock } from './blocks.ts'
import { fromQuantity, logsCall, readLogs, readSentLogs, sentLogsCall, toQuantity } from './logs.ts'

export type Balances = ReturnType<typeof evmBalances>

const parts: Parts = { size: 40, atOnce: 3 }

/** Rejects with `ChainError`, within ten seconds. */
export function evmBalances(options: {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly keepsStates: boolean
}) {
  const { chainId: expectedChainId, rpcUrls: urls, keepsStates } = options
  const usdc = options.usdc.toLowerCase()
  const rpc = createRpc({ urls, expectedChainId })

  async function refuseMoved(
    addresses: readonly string[],
    at: number,
    deadline: Deadline,
  ): Promise<void> {
    const [head] = await rpc.ask([{ method: 'eth_blockNumber', params: [] }], deadline)
    const range = { from: at, to: fromQuantity(head) }
    const [received, sent] = await rpc.ask(
      [logsCall(range, usdc, addresses), sentLogsCall(range, usdc, addresses)],
      deadline,
    )
    const moves = [...readLogs(received, usdc, addresses), ...readSentLogs(sent, usdc, addresses)]
    if (moves.some(({ blockNumber }) => blockNumber > at))
      throw new ChainError('lagging', `something has moved since block ${at}`)
  }

  return {
    /**
     * The balances of up to 1,000 addresses at the end of block `at`. Nodes know about the last 128
     * blocks. Where they keep no past states, it rejects with `lagging` if anything moved since.
     */
    async held(addresses: readonly string[], at: number): Promise<readonly bigint[]> {
      const tag = keepsStates ? toQuantity(at) : 'latest'
      const calls = addresses.map((address) => balanceCall(usdc, address, tag))
      const deadline = deadlineIn(deadlineMs)
      try {
        const balances = await askInParts(rpc, calls, readBalance, parts, deadline)
        if (!keepsStates) await refuseMoved(addresses, at, deadline)
        return balances
      } catch (error) {
        throw asChainError(error)
      }
    },
    /** Every transfer above zero from up to 1,000 addresses, and the range's last block. */
    sent(range: BlockRange, addresses: readonly string[]) {
      const lastTag = toQuantity(range.to)
      const calls = [blockCall(lastTag), sentLogsCall(range, usdc, addresses)]
      return rpc.read(calls, ([block, logs]) => ({
        last: readBlock(block, lastTag),
        transfers: readSentLogs(logs, usdc, addresses),
      }))
    },
  }
}

function balanceCall(usdc: string, address: string, tag: string): Call {
  const data = `${balanceOfSelector}${address.slice(2).padStart(64, '0')}`
  return { method: 'eth_call', params: [{ to: usdc, data }, tag] }
}

function readBalance(answer: unknown): bigint {
  if (typeof answer === 'string' && answer.length === 66) return BigInt(answer)
  throw new ChainError('invalid_answer', `${JSON.stringify(answer)} is no balance`)
}

const balanceOfSelector = '0x70a08231'
