import type { By } from '../../domain/accounts/account.ts'
import type { CreditNote, Proof } from '../../domain/credit-notes/credit-note.ts'
import { type Command, decide } from '../../domain/credit-notes/decide.ts'
import { type Event, evolve } from '../../domain/credit-notes/evolve.ts'
import type { Sent } from '../../domain/credit-notes/proof.ts'
import { eventData } from '../../domain/credit-notes/view.ts'
import { DomainError } from '../../domain/error.ts'
import * as Receipt from '../../domain/receipts/receipt.ts'
import { type Change, commitChange } from '../../storage/credit-notes/changes.ts'
import { loadNote } from '../../storage/credit-notes/credit-notes.ts'
import type { Proven } from '../../storage/credit-notes/refunds.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { IssuedReceipt } from '../../storage/settlement/settlements.ts'
import { usesOf } from '../../storage/settlement/uses.ts'
import type { Jobs } from '../jobs.ts'
import { untilWon } from '../races.ts'
import { newReceiptId, newSeed } from '../receipts.ts'
import { freedBy } from './freeing.ts'

/** A confirmed transfer, with the time of its block. */
export type Confirmed = Sent & { readonly blockTimeMs: number }

export type Proving = ReturnType<typeof createProving>

type Parts = {
  readonly sql: Sql
  readonly jobs: Jobs
  readonly now: () => Date
}

/** Changes of notes after their issue: each is decided again while it loses races. */
export function createProving({ sql, jobs, now }: Parts) {
  /**
   * Records that a transfer has paid a refund. Null: it has paid something else. Errors: as of
   * `decide`.
   */
  function prove(note: CreditNote, payer: string, sent: Confirmed): Promise<CreditNote | null> {
    const { txHash, position, blockNumber, from, blockTimeMs } = sent
    const blockTime = new Date(blockTimeMs).toISOString()
    const proof: Proof = { txHash, position, blockNumber, blockTime, from }
    const command: Command = { kind: 'prove', payer, proof, receiptId: newReceiptId() }
    const isFree = async () => (await usesOf(sql, note.terms.chain, [sent])).size === 0
    return execute(note.id, command, { isFree })
  }

  /** Takes back what a transfer had proven that the chain no longer shows in its block. */
  async function takeBack({ noteId, txHash, position, blockNumber }: Proven): Promise<void> {
    const command: Command = { kind: 'take_back', txHash, position }
    await execute(noteId, command, { searchAfter: blockNumber - 1 })
  }

  type Circumstances = {
    readonly searchAfter?: number
    /** Who asked, for the audit log. */
    readonly by?: By
    /** Asked before each try to commit. */
    readonly isFree?: () => Promise<boolean>
  }

  function execute(
    noteId: string,
    command: Command,
    circumstances: Circumstances = {},
  ): Promise<CreditNote | null> {
    return untilWon(
      () => attempt(noteId, command, circumstances),
      (lost) =>
        new DomainError('overloaded', 'The credit note is changing too fast; try again', {
          operatorText: `${noteId} lost ${lost} races`,
          retryAfterSeconds: 1,
        }),
    )
  }

  /** Undefined: another process was faster. */
  async function attempt(
    noteId: string,
    command: Command,
    { searchAfter, isFree, by }: Circumstances,
  ): Promise<CreditNote | null | undefined> {
    const before = (await loadNote(sql, noteId)) ?? undefined
    const events = decide(before, command)
    if (before === undefined || events.length === 0) return before ?? null
    if (isFree && !(await isFree())) return null
    const change = await changeOf(before, events, now())
    if (!(await commitChange(sql, { ...change, searchAfter: searchAfter ?? null, by: by ?? null })))
      return undefined
    jobs.wake('outbox')
    jobs.wake('anchor')
    return change.after
  }

  async function changeOf(before: CreditNote, events: readonly Event[], at: Date) {
    let after = before
    const entries = events.map((event) => {
      after = evolve(after, [event], at) as CreditNote
      return { type: event.type, data: eventData(event, after) ?? JSON.stringify(event) }
    })
    const change: Omit<Change, 'searchAfter' | 'by'> = {
      before,
      after,
      entries,
      issued: events.flatMap((event) => issuedBy(event, after, at)),
      revokedReceiptIds: events.flatMap((event) =>
        event.type === 'refund.failed' ? [event.receiptId] : [],
      ),
      freed: await freedBy(sql, before, after),
      now: at,
    }
    return change
  }

  function issuedBy(event: Event, note: CreditNote, at: Date): readonly IssuedReceipt[] {
    if (event.type !== 'refund.confirmed') return []
    const { payer, proof, receiptId } = event
    const refund = note.progress.refunds.find((one) => one.payer === payer)
    if (!refund) return []
    const issuedAt = at.toISOString()
    const issue = { receiptId, issuedAt, seed: newSeed() }
    const receipt = Receipt.ofRefund(note, refund, proof, issue)
    return [{ receipt, accountId: note.accountId, subjectId: note.id, issuedAt }]
  }

  return { prove, takeBack, execute }
}
