import type { Hex } from 'viem'
import { type Block, type BlockRange, ChainError } from '../chain.ts'
import { blockCall, finalizedNumber, readBlock, receiptCall } from '../evm/blocks.ts'
import { fromQuantity, toQuantity } from '../evm/logs.ts'
import { evmSender, type Terms } from '../evm/sender.ts'
import type { Deadline } from '../rpc/deadline.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { createHeadCheck } from '../rpc/newest-head.ts'
import { type NamedNode, proven } from '../rpc/proven.ts'
import { createRpc } from '../rpc/rpc.ts'
import { contractOf, isCreatedBy } from './contract.ts'
import { type AnchorEntry, type AnchorReceipt, callData, readReceipt } from './events.ts'
import { findAnchored } from './logs.ts'

export type AnchorClient = ReturnType<typeof anchorClient>

export type Access = {
  readonly rpcUrls: readonly string[]
  readonly privateKey: string
}

/** Rejects with `ChainError`. */
export function anchorClient(options: Access & { readonly contract: string }) {
  const contract = options.contract as Hex
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: null })
  const { sender, transactionCount, balanceWei, fees, gasFor, sign, broadcast } = evmSender(
    rpc,
    options.privateKey,
  )

  const checkHead = createHeadCheck(() => performance.now())

  /** `nonce` counts mined transactions. A node that lags or has stalled goes last for a while. */
  async function head(address: string, watched: number | null) {
    const calls = [
      blockCall('latest'),
      nonceCall(address, 'latest'),
      ...(watched === null ? [] : [blockCall(toQuantity(watched))]),
    ]
    let isBehind = false

    function requireNewest(node: NamedNode, number: number): void {
      try {
        checkHead(node, number)
      } catch (error) {
        isBehind = true
        throw new ChainError('unreachable', (error as Error).message)
      }
    }

    function newestBy(check: typeof requireNewest) {
      const converse = async (node: NamedNode, deadline: Deadline) => {
        const found = await proven(node).read(calls, readHead, deadline)
        check(node, found.number)
        return found
      }
      return rpc.atOneNode(converse, undefined, { kind: 'head' })
    }

    return newestBy(requireNewest).catch((error) => {
      // If every node that answers is behind, the chain itself has stalled.
      if (isBehind) return newestBy(() => {})
      throw error
    })
  }

  async function block(number: number): Promise<Block | null> {
    const tag = toQuantity(number)
    const [answer] = await rpc.ask([blockCall(tag)])
    return answer === null ? null : readBlock(answer, tag)
  }

  /** Transactions that are not mined yet are left out. */
  async function receipts(txHashes: readonly string[]): Promise<readonly AnchorReceipt[]> {
    const answers = await rpc.ask(txHashes.map(receiptCall))
    return answers.map(readReceipt).filter((receipt) => receipt !== null)
  }

  /** Whether, as of block `asOf`, a transaction other than `txHashes` has used `nonce`. */
  async function isTaken(
    address: string,
    nonce: number,
    asOf: number,
    txHashes: readonly string[],
  ) {
    // One request: if a lagging node answered the second half, our own transaction would look like
    // another sender's.
    const [next, ...answers] = await rpc.ask([
      nonceCall(address, toQuantity(asOf)),
      ...txHashes.map(receiptCall),
    ])
    return fromQuantity(next) > nonce && answers.every((answer) => answer === null)
  }

  function nonceCall(address: string, tag: string): Call {
    return { method: 'eth_getTransactionCount', params: [address, tag] }
  }

  return {
    ...contractOf(rpc, contract),
    isCreatedWith: (nonce: number) => isCreatedBy(contract, sender, nonce),
    sender,
    chainId: rpc.chainId,
    balanceWei,
    head,
    block,
    finalizedNumber: () => finalizedNumber(rpc),
    receipts,
    isTaken,
    /** What `address` has had the contract emit. `range_refused`: too many blocks for the node. */
    anchored: (range: BlockRange, address: string) =>
      findAnchored(rpc, { contract, sender: address }, range),
    transactionCount,
    fees,
    gasFor: (entries: readonly AnchorEntry[]) => gasFor({ to: contract, data: callData(entries) }),
    signEntries: (entries: readonly AnchorEntry[], terms: Terms) =>
      sign({ to: contract, data: callData(entries) }, terms),
    broadcast,
  }
}

function readHead([newest, nonce, watched = null]: readonly unknown[]) {
  return {
    number: fromQuantity((newest as { number?: unknown } | null)?.number),
    nonce: fromQuantity(nonce),
    watchedHash: (watched as { hash: string } | null)?.hash ?? null,
  }
}
