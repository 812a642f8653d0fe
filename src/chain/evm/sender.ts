import type { Hex, TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, numberToHex } from 'viem/utils'
import { registry } from '../../domain/registry.ts'
import { NodeError } from '../rpc/fault.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { blockCall } from './blocks.ts'
import { fromQuantity } from './logs.ts'

/** Fees in wei per gas; both are zero on a gasless chain. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

export type Terms = Fees & { readonly nonce: number; readonly gas: bigint }

export type SignedTransaction = Fees & { readonly txHash: string; readonly signedBytes: string }

/** `known`: the node has these bytes already. `nonce_used`: another transaction has the nonce. */
export type Broadcast = 'accepted' | 'known' | 'nonce_used' | 'underpriced'

/** A call of the contract `to`, or without `to` a new contract. */
export type Sending = { readonly to?: Hex; readonly data: Hex }

/** `privateKey`: 0x + 64 hex. */
export function evmSender(rpc: Rpc, privateKey: string) {
  const account = privateKeyToAccount(privateKey as Hex)
  const sender = account.address.toLowerCase()

  /** The next nonce, counting transactions that wait in the node's pool. */
  async function transactionCount(): Promise<number> {
    const call = { method: 'eth_getTransactionCount', params: [sender, 'pending'] }
    const [count] = await rpc.ask([call])
    return fromQuantity(count)
  }

  async function balanceWei(): Promise<bigint> {
    const [balance] = await rpc.ask([{ method: 'eth_getBalance', params: [sender, 'latest'] }])
    return BigInt(String(balance))
  }

  async function fees(): Promise<Fees> {
    if (isGasless(await rpc.chainId())) return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const [tip, block] = await rpc.ask([
      { method: 'eth_maxPriorityFeePerGas', params: [] },
      blockCall('latest'),
    ])
    const maxPriorityFeePerGas = BigInt(fromQuantity(tip))
    const { baseFeePerGas } = block as { baseFeePerGas: string }
    // Twice the base fee is still enough after about six full blocks in a row.
    return {
      maxFeePerGas: 2n * BigInt(fromQuantity(baseFeePerGas)) + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    }
  }

  /** The node's estimate plus a quarter; the estimate stops at `mostGas`. */
  async function gasFor(sending: Sending, mostGas?: bigint): Promise<bigint> {
    const call = { from: sender, ...sending, ...(mostGas && { gas: numberToHex(mostGas) }) }
    const [gas] = await rpc.ask([{ method: 'eth_estimateGas', params: [call] }])
    return (BigInt(fromQuantity(gas)) * 5n) / 4n
  }

  async function sign(sending: Sending, terms: Terms): Promise<SignedTransaction> {
    const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = terms
    const chainId = await rpc.chainId()
    const common = { chainId, nonce, gas, ...sending }
    // A zero gas price goes into a legacy transaction, which every gasless chain understands.
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

  return { sender, transactionCount, balanceWei, fees, gasFor, sign, broadcast }
}

export function lacksFunds(error: unknown): boolean {
  return error instanceof NodeError && /insufficient ?funds/i.test(error.nodeMessage)
}

function isGasless(id: number): boolean {
  return Object.values(registry).some(({ chainId, gasless }) => chainId === id && gasless)
}

function refusalOf(message: string): Broadcast | undefined {
  return refusals.find(([, words]) => words.test(message))?.[0]
}

// geth, reth, erigon, Nethermind, anvil and skaled word these differently.
const refusals: readonly (readonly [Broadcast, RegExp])[] = [
  ['known', /already ?(?:known|imported)|known transaction|same transaction already/i],
  ['nonce_used', /nonce (?:is )?too low|old ?nonce|invalid transaction nonce/i],
  [
    'underpriced',
    /underpriced|(?:fee|price) too low|gas price below|minimum needed|less than (?:the )?block base fee|lower than the current base fee|same nonce already/i,
  ],
]
