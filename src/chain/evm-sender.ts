import { type Hex, keccak256, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { blockCall } from './evm-blocks.ts'
import { fromQuantity } from './evm-logs.ts'
import { registry } from './registry.ts'
import type { Rpc } from './rpc.ts'
import { NodeError } from './rpc-fault.ts'

/** Wei per gas; both zero on a gasless chain. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** What a transaction is signed on. */
export type Terms = Fees & { readonly nonce: number; readonly gas: bigint }

/** A transaction ready to be broadcast: `signedBytes` and its hash, both 0x + hex. */
export type SignedTransaction = Fees & { readonly txHash: string; readonly signedBytes: string }

/**
 * What a node made of a broadcast. `known`: it has these very bytes already; `nonce_used`: some transaction with this nonce is
 * mined; `underpriced`: the fees are too low for it, or too close to those of the transaction this one is to replace.
 */
export type Broadcast = 'accepted' | 'known' | 'nonce_used' | 'underpriced'

/** What is sent: to a contract, or, without `to`, a new contract. */
export type Sending = { readonly to?: Hex; readonly data: Hex }

/** One key (0x + 64 hex) on one chain: the parts that sending anything needs. */
export function evmSender(rpc: Rpc, privateKey: string) {
  const account = privateKeyToAccount(privateKey as Hex)
  const sender = account.address.toLowerCase()

  async function transactionCount(): Promise<number> {
    const call = { method: 'eth_getTransactionCount', params: [sender, 'pending'] }
    const [count] = await rpc.ask([call])
    return fromQuantity(count)
  }

  async function fees(): Promise<Fees> {
    if (isGasless(await rpc.chainId())) return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const [tip, block] = await rpc.ask([
      { method: 'eth_maxPriorityFeePerGas', params: [] },
      blockCall('latest'),
    ])
    const maxPriorityFeePerGas = BigInt(fromQuantity(tip))
    const { baseFeePerGas } = block as { baseFeePerGas: string }
    // Twice the base fee outlasts six full blocks in a row.
    return {
      maxFeePerGas: 2n * BigInt(fromQuantity(baseFeePerGas)) + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    }
  }

  /** What the node thinks it takes and a quarter more. */
  async function gasFor(sending: Sending): Promise<bigint> {
    const estimate = { method: 'eth_estimateGas', params: [{ from: sender, ...sending }] }
    const [gas] = await rpc.ask([estimate])
    return (BigInt(fromQuantity(gas)) * 5n) / 4n
  }

  async function sign(sending: Sending, terms: Terms): Promise<SignedTransaction> {
    const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = terms
    const chainId = await rpc.chainId()
    const common = { chainId, nonce, gas, ...sending }
    // A price of zero is said the old way, which every gasless chain understands.
    const transaction: TransactionSerializable = isGasless(chainId)
      ? { ...common, type: 'legacy', gasPrice: 0n }
      : { ...common, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
    const signedBytes = await account.signTransaction(transaction)
    return { txHash: keccak256(signedBytes), signedBytes, maxFeePerGas, maxPriorityFeePerGas }
  }

  async function broadcast(signedBytes: string): Promise<Broadcast> {
    try {
      await rpc.ask([{ method: 'eth_sendRawTransaction', params: [signedBytes] }])
      return 'accepted'
    } catch (error) {
      const meaning = error instanceof NodeError ? refusalOf(error.nodeMessage) : undefined
      if (meaning) return meaning
      throw error
    }
  }

  return { sender, transactionCount, fees, gasFor, sign, broadcast }
}

function isGasless(id: number): boolean {
  return Object.values(registry).some(({ chainId, gasless }) => chainId === id && gasless)
}

function refusalOf(message: string): Broadcast | undefined {
  return refusals.find(([, words]) => words.test(message))?.[0]
}

// geth, reth, erigon, Nethermind, anvil and skaled each have their own words.
const refusals: readonly (readonly [Broadcast, RegExp])[] = [
  ['known', /already ?(?:known|imported)|known transaction|same transaction already/i],
  ['nonce_used', /nonce (?:is )?too low|old ?nonce|invalid transaction nonce/i],
  [
    'underpriced',
    /underpriced|(?:fee|price) too low|gas price below|minimum needed|less than (?:the )?block base fee|lower than the current base fee|same nonce already/i,
  ],
]
