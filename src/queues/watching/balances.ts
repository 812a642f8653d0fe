import { type Block, type BlockRange, type Chain, ChainError } from '../../chain/chain.ts'
import type { Balances } from '../../chain/evm/balances.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import type { Network } from '../../domain/network.ts'
import type { Agreed, Checked, Due, DueCheck } from '../../storage/settlement/balance-checks.ts'
import type { Cursor } from '../../storage/settlement/cursors.ts'
import { lastBlockBefore } from '../blocks.ts'

/** The storage functions that the check needs; each is one statement. */
export type BalanceStore = {
  cursor(chain: Network): Promise<Cursor | null>
  due(chain: Network, which: Due): Promise<readonly DueCheck[]>
  received(
    chain: Network,
    since: readonly { readonly address: string; readonly block: number }[],
    to: number,
  ): Promise<ReadonlyMap<string, bigint>>
  note(chain: Network, checks: readonly Checked[]): Promise<void>
}

type Options = {
  readonly chain: Pick<Chain, 'network' | 'block'>
  readonly balances: Balances
  readonly store: BalanceStore
  readonly maxRangeBlocks: number
  /**
   * Reads these blocks as if for the first time. Returns how many transfers it found that were not
   * on record.
   */
  readonly readAgain: (range: BlockRange) => Promise<number>
  readonly log: {
    warn(line: object, message: string): void
    error(line: object, message: string): void
  }
  /** Called with the number of transfers that had been missed. */
  readonly onFound: (transfers: number) => void
}

/** Once a day; shorter by half an hour, because an hourly job may be early. */
const everyMs = 23.5 * 3_600_000
/** As many addresses as one request for logs can name. */
const atOnce = 1_000
/** An address older than this at its first check starts with the balance it then has. */
const newMs = 86_400_000
const mostTold = 10

/** The current balance of an address, and where balance and transfers last agreed. */
type Looked = Omit<Checked, 'unexplainedBase'> & { readonly heldBase: bigint }
type Compared = Looked & Checked

/**
 * Compares the balances of our addresses with the transfers on record. The expected balance after
 * the last block read is the balance at the last agreement, plus what the record says came in
 * since, minus what the chain says went out. Where the actual balance differs, transfers were
 * missed: the blocks are read again, and a difference that remains is logged as an error every day
 * until it is explained. Returns a function that checks the addresses due, at most a thousand.
 * Errors: those of the chain and the store.
 */
export function createBalanceCheck(options: Options): () => Promise<void> {
  const { chain, balances, store, log } = options
  const { network } = chain
  const sentLogs = createRangeReader(balances.sent, options.maxRangeBlocks)

  async function check(): Promise<void> {
    const cursor = await store.cursor(network)
    if (cursor === null) return
    const at = await blockAt(cursor.nextBlock - 1)
    const found = await store.due(network, { everyMs, newMs, limit: atOnce })
    const due = found.filter(({ agreed }) => agreed === null || agreed.block <= at.number)
    if (due.length === 0) return
    const looked = await look(due, at)
    const sent = await sentBy(looked, at)
    let checked = await compare(looked, sent, at)
    if (checked.some(isUnexplained)) {
      await readAgain(checked.filter(isUnexplained), at)
      checked = await compare(looked, sent, at)
      tell(checked.filter(isUnexplained), at)
    }
    const { number: block, hash } = at
    const noted = checked.map((one) =>
      isUnexplained(one) ? one : { ...one, agreed: { block, hash, heldBase: one.heldBase } },
    )
    await store.note(network, noted)
  }

  async function blockAt(number: number): Promise<Block> {
    const block = await chain.block(number)
    if (block) return block
    throw new ChainError('lagging', `the node does not have block ${number}`)
  }

  async function look(due: readonly DueCheck[], at: Block): Promise<readonly Looked[]> {
    const addresses = due.map(({ address }) => address)
    const [held, gone, birth] = await Promise.all([
      balances.held(addresses, at.number),
      goneBlocks(due),
      birthOf(due.filter(isNew), at),
    ])
    return due.map((one, index) => {
      const heldBase = held[index] ?? 0n
      const known = one.agreed && !gone.has(one.agreed.hash) ? one.agreed : null
      const agreed = known ?? (isNew(one) ? birth : { block: at.number, hash: at.hash, heldBase })
      return { address: one.address, agreed, heldBase }
    })
  }

  /**
   * The hashes of earlier agreements' blocks that are no longer in the chain: those agreements do
   * not count any more.
   */
  async function goneBlocks(due: readonly DueCheck[]): Promise<ReadonlySet<string>> {
    const hashes = new Map(
      due.flatMap(({ agreed }) => (agreed ? [[agreed.hash, agreed.block]] : [])),
    )
    const blocks = await Promise.all([...hashes].map(([hash, number]) => chain.block(number, hash)))
    return new Set([...hashes.keys()].filter((hash, n) => (blocks[n]?.hash ?? hash) !== hash))
  }

  /** Whether this is an address created for one invoice a short while ago: it held nothing then. */
  function isNew({ agreed, madeAt }: DueCheck): boolean {
    return agreed === null && madeAt !== null
  }

  async function birthOf(newest: readonly DueCheck[], at: Block): Promise<Agreed> {
    const madeAtMs = newest.flatMap(({ madeAt }) => madeAt?.getTime() ?? [])
    const isNobody = madeAtMs.length === 0
    const before = isNobody
      ? at.number
      : await lastBlockBefore(chain, new Date(Math.min(...madeAtMs)), at)
    const { number: block, hash } = await blockAt(before)
    return { block, hash, heldBase: 0n }
  }

  /** The sum sent from each address since its last agreement, according to the chain. */
  async function sentBy(
    looked: readonly Looked[],
    at: Block,
  ): Promise<ReadonlyMap<string, bigint>> {
    const sent = new Map<string, bigint>()
    for (const [block, group] of Map.groupBy(looked, ({ agreed }) => agreed.block)) {
      const addresses = group.map(({ address }) => address)
      for (let from = block + 1; from <= at.number; ) {
        const to = Math.min(at.number, from + sentLogs.mostBlocks() - 1)
        const read = await sentLogs.read({ from, to }, addresses)
        for (const { from: sender, usdcBase } of read.answers.flatMap(({ transfers }) => transfers))
          sent.set(sender, (sent.get(sender) ?? 0n) + usdcBase)
        from = read.to + 1
      }
    }
    return sent
  }

  async function compare(
    looked: readonly Looked[],
    sent: ReadonlyMap<string, bigint>,
    at: Block,
  ): Promise<readonly Compared[]> {
    const since = looked.map(({ address, agreed }) => ({ address, block: agreed.block }))
    const received = await store.received(network, since, at.number)
    return looked.map((one) => {
      const { address, agreed, heldBase } = one
      const explained = agreed.heldBase + (received.get(address) ?? 0n) - (sent.get(address) ?? 0n)
      return { ...one, unexplainedBase: heldBase - explained }
    })
  }

  /** Reads the blocks again. If that fails, the difference stays unexplained and is logged. */
  async function readAgain(unexplained: readonly Checked[], at: Block): Promise<void> {
    const range = rangeOf(unexplained, at)
    const disagreement = { network, ...range, count: unexplained.length }
    try {
      const transfers = await options.readAgain(range)
      log.warn({ ...disagreement, transfers }, 'balances disagreed: the blocks were read again')
      if (transfers > 0) options.onFound(transfers)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      const { fault, message: reason } = error
      log.warn({ ...disagreement, fault, reason }, 'balances disagreed: the blocks cannot be read')
    }
  }

  function tell(unexplained: readonly Checked[], at: Block): void {
    if (unexplained.length === 0) return
    const addresses = unexplained.slice(0, mostTold).map(({ address, unexplainedBase }) => {
      return { address, usdcBase: `${unexplainedBase}` }
    })
    log.error(
      { network, ...rangeOf(unexplained, at), count: unexplained.length, addresses },
      'balances are not what the transfers on record make them: a transfer is missing, or one is on record that was not made',
    )
  }

  return check
}

function isUnexplained({ unexplainedBase }: Checked): boolean {
  return unexplainedBase !== 0n
}

function rangeOf(unexplained: readonly Checked[], at: Block): BlockRange {
  return { from: Math.min(...unexplained.map(({ agreed }) => agreed.block)) + 1, to: at.number }
}
