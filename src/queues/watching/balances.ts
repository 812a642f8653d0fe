import { type Block, type BlockRange, type Chain, ChainError } from '../../chain/chain.ts'
import type { Balances } from '../../chain/evm/balances.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import {
  type Agreed,
  type Checked,
  type DueCheck,
  dueChecks,
  noteChecks,
  receivedSince,
} from '../../storage/settlement/balance-checks.ts'
import { dropCursor, loadCursor } from '../../storage/settlement/cursors.ts'
import { lastBlockBefore } from '../blocks.ts'
import { readRange } from './backfill.ts'

type Options = {
  readonly chain: Pick<Chain, 'network' | 'block'>
  readonly balances: Balances
  readonly sql: Sql
  readonly watching: Parameters<typeof readRange>[3]
  readonly log: Record<'warn' | 'error', (line: object, message: string) => void>
  readonly onFound: (transfers: number) => void
}

/** An hourly job may be early. */
const everyMs = 23.5 * 3_600_000
/** As many as one request for logs can name. */
const atOnce = 1_000
/** An older address starts with the balance it has at its first check. */
const newMs = 86_400_000
const mostLogged = 10

type Held = Omit<Checked, 'unexplainedBase'> & { readonly heldBase: bigint }
type Compared = Held & Checked

/**
 * Compares the balances of our addresses with the transfers on record since they last agreed. Where
 * they differ, transfers were missed: the blocks are read again, and what remains is logged as an
 * error every day. Checks up to a thousand due addresses. Errors: those of the chain and of
 * storage.
 */
export function createBalanceCheck(options: Options): () => Promise<void> {
  const { chain, balances, sql, watching, log } = options
  const { network } = chain
  const sentLogs = createRangeReader(balances.sent, watching.maxRangeBlocks)

  async function balancesAt(due: readonly DueCheck[], at: Block): Promise<readonly Held[]> {
    const addresses = due.map(({ address }) => address)
    const [held, gone, birth] = await Promise.all([
      balances.held(addresses, at.number),
      goneBlocks(chain, due),
      birthOf(chain, due.filter(isNew), at),
    ])
    return due.map((one, index) => {
      const heldBase = held[index] ?? 0n
      const known = one.agreed && !gone.has(one.agreed.hash) ? one.agreed : null
      const agreed = known ?? (isNew(one) ? birth : { block: at.number, hash: at.hash, heldBase })
      return { address: one.address, agreed, heldBase }
    })
  }

  /** The sum sent from each address since its last agreement. */
  async function sentBy(held: readonly Held[], at: Block): Promise<ReadonlyMap<string, bigint>> {
    const sent = new Map<string, bigint>()
    for (const [block, group] of Map.groupBy(held, ({ agreed }) => agreed.block)) {
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
    held: readonly Held[],
    sent: ReadonlyMap<string, bigint>,
    at: Block,
  ): Promise<readonly Compared[]> {
    const since = held.map(({ address, agreed }) => ({ address, block: agreed.block }))
    const received = await receivedSince(sql, network, since, at.number)
    return held.map((one) => {
      const { address, agreed, heldBase } = one
      const explained = agreed.heldBase + (received.get(address) ?? 0n) - (sent.get(address) ?? 0n)
      return { ...one, unexplainedBase: heldBase - explained }
    })
  }

  /** If that fails, the difference stays unexplained and is logged. */
  async function readAgain(unexplained: readonly Checked[], at: Block): Promise<void> {
    const range = rangeOf(unexplained, at)
    const disagreement = { network, ...range, count: unexplained.length }
    try {
      const transfers = await missedIn(range)
      log.warn({ ...disagreement, transfers }, 'balances disagreed: the blocks were read again')
      if (transfers > 0) options.onFound(transfers)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      const { fault, message: reason } = error
      log.warn({ ...disagreement, fault, reason }, 'balances disagreed: the blocks cannot be read')
    }
  }

  async function missedIn(range: BlockRange): Promise<number> {
    const cursorName = `balances ${network}`
    // An interrupted run may have left a cursor for other blocks.
    await dropCursor(sql, cursorName)
    const { foundInBlocks } = await readRange(sql, cursorName, range, watching)
    await dropCursor(sql, cursorName)
    return foundInBlocks.filter((block) => block <= range.to).length
  }

  function report(unexplained: readonly Checked[], at: Block): void {
    if (unexplained.length === 0) return
    const addresses = unexplained.slice(0, mostLogged).map(({ address, unexplainedBase }) => {
      return { address, usdcBase: `${unexplainedBase}` }
    })
    log.error(
      { network, ...rangeOf(unexplained, at), count: unexplained.length, addresses },
      'balances differ from the transfers on record: a transfer is missing, or one on record was never made',
    )
  }

  return async () => {
    const cursor = await loadCursor(sql, network)
    if (cursor === null) return
    const at = await blockAt(chain, cursor.nextBlock - 1)
    const found = await dueChecks(sql, network, { everyMs, newMs, limit: atOnce })
    const due = found.filter(({ agreed }) => agreed === null || agreed.block <= at.number)
    if (due.length === 0) return
    const held = await balancesAt(due, at)
    const sent = await sentBy(held, at)
    let checked = await compare(held, sent, at)
    if (checked.some(isUnexplained)) {
      await readAgain(checked.filter(isUnexplained), at)
      checked = await compare(held, sent, at)
      report(checked.filter(isUnexplained), at)
    }
    const { number: block, hash } = at
    const noted = checked.map((one) =>
      isUnexplained(one) ? one : { ...one, agreed: { block, hash, heldBase: one.heldBase } },
    )
    await noteChecks(sql, network, noted)
  }
}

async function blockAt(chain: Pick<Chain, 'block'>, number: number): Promise<Block> {
  const block = await chain.block(number)
  if (block) return block
  throw new ChainError('lagging', `the node does not have block ${number}`)
}

/** The hashes of blocks that are no longer in the chain. */
async function goneBlocks(
  chain: Pick<Chain, 'block'>,
  due: readonly DueCheck[],
): Promise<ReadonlySet<string>> {
  const hashes = new Map(due.flatMap(({ agreed }) => (agreed ? [[agreed.hash, agreed.block]] : [])))
  const blocks = await Promise.all([...hashes].map(([hash, number]) => chain.block(number, hash)))
  return new Set([...hashes.keys()].filter((hash, n) => (blocks[n]?.hash ?? hash) !== hash))
}

/** An address created for one invoice a short while ago: it held nothing then. */
function isNew({ agreed, madeAt }: DueCheck): boolean {
  return agreed === null && madeAt !== null
}

/** A block before the oldest of these was created. */
async function birthOf(
  chain: Pick<Chain, 'block'>,
  newest: readonly DueCheck[],
  at: Block,
): Promise<Agreed> {
  const madeAtMs = newest.flatMap(({ madeAt }) => madeAt?.getTime() ?? [])
  const before =
    madeAtMs.length === 0
      ? at.number
      : await lastBlockBefore(chain, new Date(Math.min(...madeAtMs)), at)
  const { number: block, hash } = await blockAt(chain, before)
  return { block, hash, heldBase: 0n }
}

function isUnexplained({ unexplainedBase }: Checked): boolean {
  return unexplainedBase !== 0n
}

function rangeOf(unexplained: readonly Checked[], at: Block): BlockRange {
  return { from: Math.min(...unexplained.map(({ agreed }) => agreed.block)) + 1, to: at.number }
}
