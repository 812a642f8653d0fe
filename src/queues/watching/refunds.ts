import type { Proving } from '../../actors/credit-notes/proving.ts'
import { isAt } from '../../actors/purchases/outcome.ts'
import type { Chain } from '../../chain/chain.ts'
import { matched, openClaims, sendersOf } from '../../domain/credit-notes/proof.ts'
import { hasReason } from '../../domain/error.ts'
import type { PurchaseReader } from '../../domain/purchases/reader.ts'
import {
  claimsOn,
  type Due,
  dueRefunds,
  noteLooked,
  provenSince,
} from '../../storage/credit-notes/refunds.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { loadCursor } from '../../storage/settlement/cursors.ts'
import { placeKey, usesOf } from '../../storage/settlement/uses.ts'
import { rangesOf } from './rescans.ts'

type Options = {
  readonly sql: Sql
  readonly chain: Chain
  readonly reader: Pick<PurchaseReader, 'transaction' | 'seconded'>
  readonly proving: Pick<Proving, 'prove' | 'takeBack'>
  readonly maxRangeBlocks: number
  readonly log: { warn(line: object, message: string): void }
}

const lookedAtOnce = 20

/**
 * Looks for the transfers that pay open refunds, from the sellers' wallets to the payers', in
 * blocks that the watcher has finished.
 */
export function createRefundWatch(options: Options) {
  const { sql, chain, reader, proving, log } = options
  const { network } = chain
  const ranges = rangesOf(chain, options.maxRangeBlocks)

  /** Reads for the notes that are due, from the block up to which the least was read for. */
  async function follow(): Promise<void> {
    const due = await dueRefunds(sql, network, lookedAtOnce)
    const last = ((await loadCursor(sql, network))?.nextBlock ?? 0) - 1
    const from = Math.min(...due.map(({ lookedTo }) => lookedTo)) + 1
    if (due.length === 0 || from > last) return
    const to = Math.min(last, from + ranges.mostBlocks() - 1)
    await look(due, { from, to }).then(
      ({ block, waiting }) => {
        // A refund that no second node shows yet is looked for there again.
        const looked = due.filter(({ note }) => !waiting.has(note.id))
        return noteLooked(sql, looked, { block, isMore: block < last })
      },
      (err) => log.warn({ err, network }, 'refunds were not looked for'),
    )
  }

  /** Answers the last block that was read, and the notes whose refunds wait for a second node. */
  async function look(
    due: readonly Due[],
    range: { readonly from: number; readonly to: number },
  ): Promise<{ readonly block: number; readonly waiting: ReadonlySet<string> }> {
    const waiting = new Set<string>()
    const claims = due.flatMap(({ note }) => openClaims(note))
    const recipients = [...new Set(claims.flatMap(({ refund }) => refund.refundTo ?? []))]
    const senders = [...new Set(due.flatMap(({ note }) => sendersOf(note)))]
    if (recipients.length === 0) return { block: range.to, waiting }
    const { answers, to } = await ranges.read(range, { recipients, senders })
    const transfers = answers.flatMap((answer) => answer.transfers)
    if (transfers.length === 0) return { block: to, waiting }
    const used = await usesOf(sql, network, transfers)
    const free = transfers.filter((transfer) => !used.has(placeKey(transfer)))
    const proofs = matched(await claimsOn(sql, network, free), free)
    const seconded = new Set(await reader.seconded(proofs.map(({ sent }) => sent)))
    for (const { note, refund, sent } of proofs) {
      if (!seconded.has(sent)) {
        waiting.add(note.id)
        continue
      }
      await proving.prove(note, refund.payer, sent).catch((error) => {
        // It has just been proven by another transfer.
        if (!hasReason(error, 'invalid_state')) throw error
      })
    }
    return { block: to, waiting }
  }

  /** Takes back refunds whose transfers are no longer in their block, from this one on. */
  async function reverse(fromBlock: number): Promise<void> {
    for (const proven of await provenSince(sql, network, fromBlock))
      if (!(await isAt(reader, { ...proven, to: proven.refundTo }))) await proving.takeBack(proven)
  }

  return { follow, reverse }
}
