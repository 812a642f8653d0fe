import { addNewest } from '../../scheduling/cache.ts'
import {
  type Answer,
  type Block,
  type BlockRange,
  type Chain,
  ChainError,
  type Look,
  type Paid,
  type ReadOptions,
  type Transfer,
} from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { asChainError, type NodeWatch } from '../rpc/failover.ts'
import { createHeadCheck, type HeadCheck, unlessLagging } from '../rpc/newest-head.ts'
import { askInParts, deadlineOfFound, type Parts, slowestMs, timeFor } from '../rpc/parts.ts'
import { type NamedNode, type OneNode, proven, provenUnless, refuseLeftOut } from '../rpc/proven.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import { associatedTokenAccount } from './accounts.ts'
import {
  blockCall,
  commitment,
  lastBlock,
  readBlock,
  readSlot,
  slotCall,
  slotsOf,
} from './blocks.ts'
import { createSignatureReader, type Listed } from './signatures.ts'
import { readSurplus, type SurplusWatch } from './surplus.ts'
import { type RawTransaction, refuseIncomplete } from './token-calls.ts'
import { readTransactions, transactionCall } from './transactions.ts'
import { readTransfers } from './transfers.ts'

const parts: Parts = { size: 40, atOnce: 3 }

/** Called once for each transaction of ours that no node shows, as its version is too new. */
export type UnreadWatch = (unread: { readonly txHash: string; readonly slot: number }) => void

/**
 * Solana over bare JSON-RPC. `blockNumber` is the slot; everything is read at `finalized`. For a
 * skipped slot stands the nearest block before. Without `onUnread`, a range with a transaction that
 * no node shows is refused.
 */
export function solanaChain(options: {
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly genesisHash?: string
  readonly fetchTimeoutMs?: number
  readonly onNode?: NodeWatch
  readonly onSurplus?: SurplusWatch
  readonly onUnread?: UnreadWatch
}): Chain {
  const { usdc, onSurplus = () => {}, onUnread = refuseUnread } = options
  const rpc = solanaRpc(options)
  const checkHead = createHeadCheck(() => performance.now(), options.onNode)
  const signatures = createSignatureReader(parts)
  const tokenAccounts = new Map<string, string>()
  const report = createReports(onSurplus, onUnread)

  function tokenAccountOf(wallet: string): string {
    const known = tokenAccounts.get(wallet) ?? associatedTokenAccount(wallet, usdc)
    tokenAccounts.set(wallet, known)
    return known
  }

  /** If every node lags, the chain itself has stalled, and its head is accepted. */
  function head(): Promise<Block> {
    return guarded(async (deadline) => {
      const newest = finalizedSlot(rpc, checkHead, deadline)
      const slot = await unlessLagging(newest, () => finalizedSlot(rpc, noHeadCheck, deadline))
      return blockOf(rpc, slot, deadline)
    })
  }

  function finalizedNumber(): Promise<number> {
    return guarded((deadline) => finalizedSlot(rpc, noHeadCheck, deadline))
  }

  function block(number: number, expectedHash?: string): Promise<Block | null> {
    const range = { from: number, to: number }
    return guarded((deadline) => {
      const converse = (node: NamedNode, until: Deadline) =>
        provenUnless(expectedHash, node, async () => {
          const slots = await slotsOf(node, range, until)
          return lastBlock(node, range, slots, { parts, deadline: until })
        })
      const found = rpc.atOneNode(converse, deadline, { kind: 'block' })
      return unlessLagging(found, () => null)
    })
  }

  function transfers(
    range: BlockRange,
    addresses: readonly string[],
    { recorded = [], turn = 0, senders }: ReadOptions = {},
  ): Promise<Answer> {
    return guarded(
      async (deadline) => {
        const wallets = new Map(addresses.map((wallet) => [tokenAccountOf(wallet), wallet]))
        const accounts = senders?.map(tokenAccountOf) ?? [...wallets.keys()]
        // All from one node: what another node has says nothing about what this one lists.
        const converse = async (node: NamedNode, until: Deadline) => {
          const slots = await slotsOf(node, range, until)
          const [last, listed] = await Promise.all([
            lastBlock(node, range, slots, { parts, deadline: until }),
            signatures.read(node, accounts, range, { slots, deadline: until }),
          ])
          const shown = new Set(listed.map(({ signature }) => signature))
          const blockAt = (slot: number) => blockOf(node, slot, until)
          await refuseLeftOut(node, { range, recorded }, ({ txHash }) => shown.has(txHash), blockAt)
          return [last, listed] as const
        }
        const about = { kind: 'transfers', turn, mayNarrow: range.from < range.to }
        const [last, listed] = await rpc.atOneNode(converse, deadline, about)
        const neededMs = timeFor(listed.length, parts, rpc.mostCalls())
        const until = deadlineOfFound(range, neededMs, deadline)
        const { found, left } = await readAll(rpc, listed, until)
        report.unread(left)
        // What others are paid beyond transfers is not ours to report.
        if (!senders) report.surpluses(found, wallets)
        const transfers = transfersOf(found, wallets)
        return { last, transfers: transfers.filter(({ from }) => senders?.includes(from) ?? true) }
      },
      timeFor(addresses.length, parts, rpc.mostCalls()),
    )
  }

  async function lookAt(node: NamedNode, paid: readonly Paid[], deadline: Deadline): Promise<Look> {
    const slot = await proven(node).read([slotCall], ([answer]) => readSlot(answer), deadline)
    const calls = paid.map(({ txHash }) =>
      transactionCall(txHash, { commitment, encoding: 'json' }),
    )
    const read = (answer: unknown) => answer as (RawTransaction & { readonly slot: number }) | null
    const transactions = await askInParts(node, calls, read, parts, deadline)
    const slots = [...new Set([slot, ...transactions.flatMap((one) => one?.slot ?? [])])]
    const readAt = (answer: unknown, at: number) => readBlock(answer, slots[at] as number)
    const blocks = await askInParts(node, slots.map(blockCall), readAt, parts, deadline)
    const blockAt = new Map(blocks.map((block) => [block.number, block]))
    const shown = paid.map(({ txHash: signature, to }, at) => {
      const transaction = transactions[at]
      if (!transaction) return null
      const found = { signature, transaction, block: blockAt.get(transaction.slot) as Block }
      return transfersOf([found], new Map([[tokenAccountOf(to), to]]))
    })
    return { head: blockAt.get(slot) as Block, shown }
  }

  return {
    network: 'solana',
    mostAddresses: null,
    urls: rpc.urls,
    head,
    finalizedNumber,
    transfers,
    looks: (paid) => rpc.atEachNode((node, until) => lookAt(node, paid, until), 'look'),
    block,
  }
}

/** Reports each thing once, although recent slots are read several times. */
function createReports(onSurplus: SurplusWatch, onUnread: UnreadWatch) {
  const surplusHashes = new Set<string>()
  const unreadHashes = new Set<string>()
  return {
    surpluses(found: readonly Found[], wallets: Wallets): void {
      for (const { signature, transaction } of found) {
        const surplus = readSurplus(transaction, wallets)
        if (surplus.length === 0 || !addNewest(surplusHashes, signature, mostReported)) continue
        for (const { to, usdcBase } of surplus)
          onSurplus({ txHash: signature, to: wallets.get(to) as string, usdcBase })
      }
    },
    unread(left: readonly Listed[]): void {
      for (const { signature, slot } of left) {
        if (unreadHashes.has(signature)) continue
        onUnread({ txHash: signature, slot })
        addNewest(unreadHashes, signature, mostReported)
      }
    },
  }
}

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

async function guarded<Result>(
  ask: (deadline: Deadline) => Promise<Result>,
  limitMs = deadlineMs,
): Promise<Result> {
  try {
    return await ask(deadlineIn(limitMs))
  } catch (error) {
    throw asChainError(error)
  }
}

function blockOf(node: OneNode, slot: number, deadline: Deadline): Promise<Block> {
  return node.read([blockCall(slot)], ([block]) => readBlock(block, slot), deadline)
}

function finalizedSlot(rpc: Rpc, check: HeadCheck, deadline: Deadline): Promise<number> {
  const converse = async (node: NamedNode, until: Deadline) => {
    // The address may lead to a node of another chain by now.
    node.recheckChain()
    const slot = await node.read([slotCall], ([answer]) => readSlot(answer), until)
    return check(node, slot)
  }
  return rpc.atOneNode(converse, deadline, { kind: 'head' })
}

type Wallets = ReadonlyMap<string, string>

type Found = {
  readonly signature: string
  readonly transaction: RawTransaction
  readonly block: Block
}

/** `left` are the transactions that no node shows. */
async function readAll(
  rpc: Rpc,
  listed: readonly Listed[],
  deadline: Deadline,
): Promise<{ readonly found: readonly Found[]; readonly left: readonly Listed[] }> {
  const slots = [...new Set(listed.map(({ slot }) => slot))]
  const readBlockAt = (answer: unknown, at: number) => readBlock(answer, slots[at] as number)
  const signatures = listed.map(({ signature }) => signature)
  const reading = { commitment, encoding: 'json' } as const
  const how = { parts: { ...parts, slowMs: slowestMs }, deadline, refuse: refuseIncomplete }
  const [transactions, blocks] = await Promise.all([
    readTransactions<RawTransaction>(rpc, signatures, reading, how),
    askInParts(rpc, slots.map(blockCall), readBlockAt, parts, deadline),
  ])
  const blockOf = new Map(blocks.map((block) => [block.number, block]))
  const found = listed.flatMap(({ signature, slot }, at) => {
    const transaction = transactions[at]
    return transaction ? { signature, transaction, block: blockOf.get(slot) as Block } : []
  })
  return { found, left: listed.filter((_, at) => transactions[at] === null) }
}

const mostReported = 10_000

function refuseUnread({ txHash, slot }: Parameters<UnreadWatch>[0]): never {
  const problem = `no node shows ${txHash} in slot ${slot}: its version is newer than any known here`
  throw new ChainError('invalid_answer', problem)
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

const noHeadCheck: HeadCheck = (_, slot) => slot
