import { type Answer, type Block, type Chain, ChainError, type Transfer } from './chain.ts'
import { createHeadCheck, type HeadCheck, unlessLagging } from './newest-head.ts'
import { asChainError, createRpc, deadlineMs, type NodeWatch, type Rpc } from './rpc.ts'
import type { Call } from './rpc-node.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import { type RawTransaction, readTransfers } from './solana-transfers.ts'

/** Slots in which the nearest block before a skipped one is looked for. */
const lookBackSlots = 1_000
/** What a node answers at most in one page. */
const pageSize = 1_000
/** Providers refuse long batches. */
const batchSize = 40
const commitment = 'finalized'

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
}): Chain {
  const { usdc } = options
  const rpc = solanaRpc(options)
  const checkHead = createHeadCheck(() => performance.now())
  const tokenAccounts = new Map<string, string>()

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
      return rpc.read([blockCall(slot)], ([block]) => readBlock(block, slot), deadline)
    })
  }

  function finalizedNumber(): Promise<number> {
    return guarded((deadline) => finalizedSlot(rpc, asItIs, deadline))
  }

  function block(number: number): Promise<Block | null> {
    return guarded((deadline) => unlessLagging(blockAt(rpc, number, deadline), () => null))
  }

  /** Each address is asked for by itself, so they are always named. */
  function transfers(range: Range, addresses: readonly string[]): Promise<Answer> {
    return guarded(async (deadline) => {
      const last = await blockAt(rpc, range.to, deadline)
      const wallets = new Map(addresses.map((wallet) => [tokenAccountOf(wallet), wallet]))
      const listed = await signaturesOf(rpc, [...wallets.keys()], range, deadline)
      return { last, transfers: await readAll(rpc, listed, wallets, deadline) }
    })
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

type Range = { readonly from: number; readonly to: number }
type Listed = { readonly signature: string; readonly slot: number; readonly err: unknown }

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

async function blockAt(rpc: Rpc, slot: number, deadline: AbortSignal): Promise<Block> {
  const first = Math.max(0, slot - lookBackSlots)
  const nearest = await rpc.read(
    [slotCall, { method: 'getBlocks', params: [first, slot, { commitment }] }],
    ([finalized, slots]) => {
      const nearest = (slots as readonly unknown[]).at(-1)
      if (readSlot(finalized) < slot || nearest === undefined) {
        throw new ChainError('lagging', `the node does not have slot ${slot}`)
      }
      return readSlot(nearest)
    },
    deadline,
  )
  return rpc.read([blockCall(nearest)], ([block]) => readBlock(block, nearest), deadline)
}

/** The successful transactions of the range that touch one of the accounts, each once, oldest first. */
async function signaturesOf(
  rpc: Rpc,
  accounts: readonly string[],
  range: Range,
  deadline: AbortSignal,
): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>()
  let open = accounts.map((account) => ({ account, before: {} }))
  while (open.length > 0) {
    const pages = (await askInBatches(
      rpc,
      open.map(({ account, before }) => signaturesCall(account, range.to, before)),
      deadline,
    )) as readonly (readonly Listed[])[]
    for (const one of pages.flat()) {
      const isInRange = one.slot >= range.from && one.slot <= range.to
      if (isInRange && one.err === null) found.set(one.signature, one)
    }
    open = open.flatMap(({ account }, at) => {
      const page = pages[at] ?? []
      const oldest = page.at(-1)
      if (page.length < pageSize || !oldest || oldest.slot < range.from) return []
      return [{ account, before: { before: oldest.signature } }]
    })
  }
  // Nodes do not tell where in its block a transaction is; any order will do that is always the same.
  return [...found.values()].sort((a, b) => a.slot - b.slot || (a.signature < b.signature ? -1 : 1))
}

async function readAll(
  rpc: Rpc,
  listed: readonly Listed[],
  wallets: ReadonlyMap<string, string>,
  deadline: AbortSignal,
): Promise<readonly Transfer[]> {
  const transactions = await askInBatches(
    rpc,
    listed.map(({ signature }) => transactionCall(signature)),
    deadline,
  )
  const accounts = new Set(wallets.keys())
  const found = listed.map(({ signature, slot }, at) => {
    const transaction = transactions[at] as RawTransaction | null
    if (!transaction) {
      throw new ChainError('lagging', `the node lists ${signature} and does not have it`)
    }
    return { signature, slot, transfers: readTransfers(transaction, accounts) }
  })
  const paying = found.filter(({ transfers }) => transfers.length > 0)
  const blocks = await blocksOf(
    rpc,
    paying.map(({ slot }) => slot),
    deadline,
  )
  return paying.flatMap(({ signature, slot, transfers }) => {
    const { hash, timestampMs } = blocks.get(slot) as Block
    return transfers.map((transfer) => ({
      ...transfer,
      chain: 'solana' as const,
      txHash: signature,
      blockNumber: slot,
      blockHash: hash,
      blockTimeMs: timestampMs,
      to: wallets.get(transfer.to) as string,
    }))
  })
}

async function blocksOf(
  rpc: Rpc,
  slots: readonly number[],
  deadline: AbortSignal,
): Promise<ReadonlyMap<number, Block>> {
  const distinct = [...new Set(slots)]
  const answers = await askInBatches(rpc, distinct.map(blockCall), deadline)
  return new Map(distinct.map((slot, at) => [slot, readBlock(answers[at], slot)]))
}

async function askInBatches(
  rpc: Rpc,
  calls: readonly Call[],
  deadline: AbortSignal,
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (let at = 0; at < calls.length; at += batchSize) {
    answers.push(...(await rpc.ask(calls.slice(at, at + batchSize), deadline)))
  }
  return answers
}

const asItIs: HeadCheck = (slot) => slot

const slotCall: Call = { method: 'getSlot', params: [{ commitment }] }

function blockCall(slot: number): Call {
  const options = { commitment, transactionDetails: 'none', rewards: false }
  return { method: 'getBlock', params: [slot, { ...options, maxSupportedTransactionVersion: 0 }] }
}

/** `minContextSlot`: behind one URL may stand many nodes, and one that lags would leave out what it has not seen. */
function signaturesCall(account: string, minContextSlot: number, before: object): Call {
  const options = { commitment, minContextSlot, limit: pageSize, ...before }
  return { method: 'getSignaturesForAddress', params: [account, options] }
}

function transactionCall(signature: string): Call {
  const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }
  return { method: 'getTransaction', params: [signature, options] }
}

function readSlot(answer: unknown): number {
  if (typeof answer === 'number') return answer
  throw new ChainError('invalid_answer', 'the node named a slot that is not a number')
}

function readBlock(answer: unknown, slot: number): Block {
  if (!answer) throw new ChainError('lagging', `the node does not have the block of slot ${slot}`)
  const { blockhash, blockTime } = answer as Record<string, unknown>
  if (typeof blockhash !== 'string' || typeof blockTime !== 'number') {
    throw new ChainError('invalid_answer', `the block of slot ${slot} has no hash or no time`)
  }
  return { number: slot, hash: blockhash, timestampMs: blockTime * 1000 }
}
