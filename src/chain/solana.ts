import {
  type Answer,
  type Block,
  type BlockRange,
  type Chain,
  ChainError,
  type Transfer,
} from './chain.ts'
import { createHeadCheck, type HeadCheck, unlessLagging } from './newest-head.ts'
import { asChainError, createRpc, deadlineMs, type NodeWatch, type Rpc } from './rpc.ts'
import type { Call } from './rpc-node.ts'
import { askInParts, type Parts } from './rpc-parts.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import {
  blockCall,
  commitment,
  lastBlock,
  readBlock,
  readSlot,
  slotCall,
  slotsOf,
} from './solana-blocks.ts'
import { createSignatureReader, type Listed } from './solana-signatures.ts'
import { readSurplus, type SurplusWatch } from './solana-surplus.ts'
import type { RawTransaction } from './solana-token-calls.ts'
import { readTransfers } from './solana-transfers.ts'

/** Providers refuse long batches, and many at once. */
const parts: Parts = { size: 40, atOnce: 3 }

/**
 * Solana over bare JSON-RPC. `blockNumber` is the slot, and everything is read at `finalized`: what is found once stays. A
 * skipped slot has no block of its own; the nearest one before it stands for it, under its own number.
 */
export function solanaChain(options: {
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly genesisHash?: string
  readonly fetchTimeoutMs?: number
  readonly onNode?: NodeWatch
  readonly onSurplus?: SurplusWatch
}): Chain {
  const { usdc, onSurplus = () => {} } = options
  const rpc = solanaRpc(options)
  const checkHead = createHeadCheck(() => performance.now())
  const signatures = createSignatureReader(parts)
  const tokenAccounts = new Map<string, string>()
  const surpluses = new Set<string>()
  let headSlot = 0

  function tokenAccountOf(wallet: string): string {
    const known = tokenAccounts.get(wallet) ?? associatedTokenAccount(wallet, usdc)
    tokenAccounts.set(wallet, known)
    return known
  }

  /** Where all nodes lag, it is the chain that does. */
  function head(): Promise<Block> {
    return guarded(async (deadline) => {
      const newest = finalizedSlot(rpc, checkHead, deadline)
      const slot = await unlessLagging(newest, () => finalizedSlot(rpc, asItIs, deadline))
      headSlot = slot
      return rpc.read([blockCall(slot)], ([block]) => readBlock(block, slot), deadline)
    })
  }

  function finalizedNumber(): Promise<number> {
    return guarded((deadline) => finalizedSlot(rpc, asItIs, deadline))
  }

  function block(number: number): Promise<Block | null> {
    const range = { from: number, to: number }
    return guarded((deadline) => {
      const found = rpc.atOneNode(async (node) => {
        const slots = await slotsOf(node, range, deadline)
        return lastBlock(node, range, slots, { parts, deadline })
      }, deadline)
      return unlessLagging(found, () => null)
    })
  }

  /** Each address is asked for by itself, so they are always named. */
  function transfers(range: BlockRange, addresses: readonly string[]): Promise<Answer> {
    return guarded(async (deadline) => {
      const wallets = new Map(addresses.map((wallet) => [tokenAccountOf(wallet), wallet]))
      // Of one node: what another has does not tell what this one lists.
      const [last, listed] = await rpc.atOneNode(async (node) => {
        const slots = await slotsOf(node, range, deadline)
        return Promise.all([
          lastBlock(node, range, slots, { parts, deadline }),
          signatures.read(node, [...wallets.keys()], range, { headSlot, slots, deadline }),
        ])
      }, deadline)
      const found = await readAll(rpc, listed, deadline)
      tellSurpluses(found, wallets)
      return { last, transfers: transfersOf(found, wallets) }
    })
  }

  /** Recent slots are read several times. */
  function tellSurpluses(found: readonly Found[], wallets: Wallets): void {
    for (const { signature, transaction } of found) {
      if (surpluses.has(signature)) continue
      for (const { to, usdcBase } of readSurplus(transaction, wallets)) {
        surpluses.add(signature)
        onSurplus({ txHash: signature, to: wallets.get(to) as string, usdcBase })
      }
    }
  }

  return { network: 'solana', mostAddresses: null, head, finalizedNumber, transfers, block }
}

/** JSON-RPC of Solana, or of another cluster by its genesis hash. */
export function solanaRpc({
  rpcUrls: urls,
  genesisHash = mainnetGenesisHash,
  fetchTimeoutMs,
  onNode,
}: {
  readonly rpcUrls: readonly string[]
  readonly genesisHash?: string
  readonly fetchTimeoutMs?: number
  readonly onNode?: NodeWatch
}): Rpc {
  return createRpc({
    urls,
    expectedChainId: genesisHash,
    identity: { method: 'getGenesisHash', read: String },
    fetchTimeoutMs,
    onNode,
  })
}

export const mainnetGenesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

async function guarded<Result>(ask: (deadline: AbortSignal) => Promise<Result>): Promise<Result> {
  try {
    return await ask(AbortSignal.timeout(deadlineMs))
  } catch (error) {
    throw asChainError(error)
  }
}

function finalizedSlot(rpc: Rpc, check: HeadCheck, deadline: AbortSignal): Promise<number> {
  return rpc.read([slotCall], ([slot]) => check(readSlot(slot)), deadline)
}

/** Our wallets by their token accounts. */
type Wallets = ReadonlyMap<string, string>

/** A listed transaction and the block it is in. */
type Found = {
  readonly signature: string
  readonly transaction: RawTransaction
  readonly block: Block
}

async function readAll(
  rpc: Rpc,
  listed: readonly Listed[],
  deadline: AbortSignal,
): Promise<readonly Found[]> {
  const slots = [...new Set(listed.map(({ slot }) => slot))]
  const readTransaction = (answer: unknown, at: number) => {
    const { signature, slot } = listed[at] as Listed
    if (answer) return { signature, slot, transaction: answer as RawTransaction }
    throw new ChainError('lagging', `the node does not have ${signature}, which is listed`)
  }
  const readBlockAt = (answer: unknown, at: number) => readBlock(answer, slots[at] as number)
  const transactionCalls = listed.map(({ signature }) => transactionCall(signature))
  const [transactions, blocks] = await Promise.all([
    askInParts(rpc, transactionCalls, readTransaction, parts, deadline),
    askInParts(rpc, slots.map(blockCall), readBlockAt, parts, deadline),
  ])
  const blockOf = new Map(blocks.map((block) => [block.number, block]))
  return transactions.map(({ slot, ...one }) => ({ ...one, block: blockOf.get(slot) as Block }))
}

function transfersOf(found: readonly Found[], wallets: Wallets): readonly Transfer[] {
  return found.flatMap(({ signature, transaction, block }) =>
    readTransfers(transaction, wallets).map((transfer) => ({
      ...transfer,
      chain: 'solana' as const,
      txHash: signature,
      blockNumber: block.number,
      blockHash: block.hash,
      blockTimeMs: block.timestampMs,
      to: wallets.get(transfer.to) as string,
    })),
  )
}

const asItIs: HeadCheck = (slot) => slot

function transactionCall(signature: string): Call {
  const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }
  return { method: 'getTransaction', params: [signature, options] }
}
