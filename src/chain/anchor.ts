import { encodeFunctionData, type Hex, keccak256, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import artifact from './anchor-artifact.json' with { type: 'json' }
import {
  type AnchorEntry,
  type AnchorEvent,
  anchorAbi,
  anchorEvents,
  readReceipt,
  receiptCall,
} from './anchor-events.ts'
import { ChainError } from './chain.ts'
import { fromQuantity } from './evm-logs.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { NodeError } from './rpc-fault.ts'

/** Wei per gas; both zero on a gasless chain. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** A transaction ready to be broadcast: `signedBytes` and its hash, both 0x + hex. */
export type SignedTransaction = Fees & { readonly txHash: string; readonly signedBytes: string }

/**
 * What a node made of a broadcast. `known`: it has these very bytes already; `nonce_used`: some transaction with this nonce is
 * mined; `underpriced`: the fees are too low for it, or too close to those of the transaction this one is to replace.
 */
export type Broadcast = 'accepted' | 'known' | 'nonce_used' | 'underpriced'

/** What the anchor worker asks of its chain. Keeps nothing; all methods reject with `ChainError`. */
export type AnchorClient = {
  /** Address the transactions come from, lower case. */
  readonly sender: string
  chainId(): Promise<number>
  /** Whether there is code at the contract's address. */
  hasContract(): Promise<boolean>
  /** The sender's next nonce, what waits in the node's pool included. */
  transactionCount(): Promise<number>
  fees(): Promise<Fees>
  /** Signs one transaction that emits an event per entry, in order. */
  signBatch(
    entries: readonly AnchorEntry[],
    terms: Fees & { readonly nonce: number },
  ): Promise<SignedTransaction>
  broadcast(signedBytes: string): Promise<Broadcast>
  /** Null while the transaction is not mined. */
  receipt(txHash: string): Promise<{
    readonly blockNumber: number
    readonly blockHash: string
    readonly status: 'success' | 'reverted'
    readonly events: readonly AnchorEvent[]
  } | null>
}

type Access = {
  readonly rpcUrls: readonly string[]
  /** 0x + 64 hex. */
  readonly privateKey: string
  /** The chain takes transactions at a gas price of zero. */
  readonly gasless?: boolean
}

export function anchorClient(options: Access & { readonly contract: string }): AnchorClient {
  const contract = options.contract as Hex
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: null })
  const { sender, transactionCount, fees, sign, broadcast } = signer(rpc, options)

  async function signBatch(
    entries: readonly AnchorEntry[],
    terms: Fees & { nonce: number },
  ): Promise<SignedTransaction> {
    const batch = entries.map(({ kind, hash, label }) => ({
      kind: kind === 'receipt' ? 0 : 1,
      hash: hash as Hex,
      label,
    }))
    const data = encodeFunctionData({ abi: anchorAbi, functionName: 'anchorBatch', args: [batch] })
    return sign({ to: contract, data }, terms)
  }

  async function hasContract(): Promise<boolean> {
    const [code] = await rpc.ask([{ method: 'eth_getCode', params: [contract, 'latest'] }])
    return typeof code === 'string' && code.length > 2
  }

  async function receipt(txHash: string) {
    const [answer] = await rpc.ask([receiptCall(txHash)])
    const found = readReceipt(answer)
    if (found === null) return null
    const { blockNumber, blockHash, status, logs } = found
    return { blockNumber, blockHash, status, events: anchorEvents(logs, contract) }
  }

  return {
    sender,
    chainId: rpc.chainId,
    hasContract,
    transactionCount,
    fees,
    signBatch,
    broadcast,
    receipt,
  }
}

/** Puts the anchor contract on chain and waits until it is there. */
export async function deployAnchor(
  options: Access,
): Promise<{ readonly contract: string; readonly txHash: string }> {
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: null })
  const { transactionCount, fees, sign, broadcast } = signer(rpc, options)
  const terms = { nonce: await transactionCount(), ...(await fees()) }
  const { txHash, signedBytes } = await sign({ data: artifact.bytecode as Hex }, terms)
  await broadcast(signedBytes)
  const giveUpAt = performance.now() + deployWithinMs
  while (performance.now() < giveUpAt) {
    const [answer] = await rpc.ask([receiptCall(txHash)])
    const receipt = readReceipt(answer)
    if (receipt?.status === 'success' && receipt.contractAddress) {
      return { contract: receipt.contractAddress, txHash }
    }
    if (receipt) throw new ChainError('invalid_answer', `the deployment ${txHash} failed on chain`)
    await new Promise((resolve) => setTimeout(resolve, receiptPollMs))
  }
  throw new ChainError('unreachable', `the deployment ${txHash} was not mined in time`)
}

const deployWithinMs = 120_000
const receiptPollMs = 250

type Call = { readonly to?: Hex; readonly data: Hex }

/** One key on one chain: the parts that sending anything needs. */
function signer(rpc: Rpc, { privateKey, gasless = false }: Access) {
  const account = privateKeyToAccount(privateKey as Hex)
  const sender = account.address.toLowerCase()

  async function transactionCount(): Promise<number> {
    const call = { method: 'eth_getTransactionCount', params: [sender, 'pending'] }
    const [count] = await rpc.ask([call])
    return fromQuantity(count)
  }

  async function fees(): Promise<Fees> {
    if (gasless) return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const [tip, block] = await rpc.ask([
      { method: 'eth_maxPriorityFeePerGas', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ])
    const maxPriorityFeePerGas = BigInt(fromQuantity(tip))
    const { baseFeePerGas } = block as { baseFeePerGas: string }
    // Twice the base fee outlasts six full blocks in a row.
    return {
      maxFeePerGas: 2n * BigInt(fromQuantity(baseFeePerGas)) + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    }
  }

  async function sign(call: Call, terms: Fees & { nonce: number }): Promise<SignedTransaction> {
    const estimate = { method: 'eth_estimateGas', params: [{ from: sender, ...call }] }
    const [gasNeeded] = await rpc.ask([estimate])
    const { nonce, maxFeePerGas, maxPriorityFeePerGas } = terms
    const gas = (BigInt(fromQuantity(gasNeeded)) * 5n) / 4n
    const common = { chainId: await rpc.chainId(), nonce, gas, ...call }
    // A price of zero is said the old way, which every gasless chain understands.
    const transaction: TransactionSerializable = gasless
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

  return { sender, transactionCount, fees, sign, broadcast }
}

function refusalOf(message: string): Broadcast | undefined {
  return refusals.find(([, words]) => words.test(message))?.[0]
}

// geth, reth, erigon, Nethermind, anvil and skaled each have their own words.
const refusals: readonly (readonly [Broadcast, RegExp])[] = [
  ['known', /already ?(?:known|imported)|known transaction|same transaction already/i],
  ['nonce_used', /nonce (?:is )?too low|old ?nonce|invalid transaction nonce/i],
  ['underpriced', /underpriced|fee too low|less than (?:the )?block base fee|same nonce already/i],
]
