import type { Hex } from 'viem'
import { getContractAddress } from 'viem/utils'
import { type BlockRange, ChainError } from '../chain.ts'
import { toQuantity } from '../evm/logs.ts'
import type { Rpc } from '../rpc/rpc.ts'
import artifact from './artifact.json' with { type: 'json' }

/** What the chain says of the contract at an address. Rejects with `ChainError`. */
export function contractOf(rpc: Rpc, contract: string) {
  async function codeAt(tag: string): Promise<unknown> {
    const [code] = await rpc.ask([{ method: 'eth_getCode', params: [contract, tag] }])
    return code
  }

  async function codeNow(): Promise<string> {
    const code = await codeAt('latest')
    return typeof code === 'string' ? code.slice(2).toLowerCase() : ''
  }

  async function hasContract(): Promise<boolean> {
    return (await codeNow()) !== ''
  }

  async function isAnchorContract(): Promise<boolean> {
    const code = await codeNow()
    // What creates a contract without immutables ends with the code that it leaves.
    return code !== '' && artifact.bytecode.endsWith(code)
  }

  /** The newest block without the contract; null if `from` had it or the node does not say. */
  async function lastWithoutContract({ from, to }: BlockRange): Promise<number | null> {
    try {
      if (from > to || !(await lackedContract(from))) return null
      let [before, after] = [from, to + 1]
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2)
        if (await lackedContract(middle)) before = middle
        else after = middle
      }
      return before
    } catch (error) {
      // Most nodes keep no old state; then the search is only longer.
      if (error instanceof ChainError) return null
      throw error
    }
  }

  async function lackedContract(asOf: number): Promise<boolean> {
    // Some nodes answer null where they do not know.
    return (await codeAt(toQuantity(asOf))) === '0x'
  }

  return { hasContract, isAnchorContract, lastWithoutContract }
}

/** Whether the transaction of this nonce is the one that created the contract. */
export function isCreatedBy(contract: string, sender: string, nonce: number): boolean {
  const created = getContractAddress({ from: sender as Hex, nonce: BigInt(nonce) })
  return created.toLowerCase() === contract.toLowerCase()
}
