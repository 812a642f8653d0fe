import type { CreditNote } from '../../domain/credit-notes/credit-note.ts'
import { numberOf } from '../../domain/credit-notes/credit-note.ts'
import { type Command, decide } from '../../domain/credit-notes/decide.ts'
import { type Draft, draftOf, type Request } from '../../domain/credit-notes/draft.ts'
import { evolve } from '../../domain/credit-notes/evolve.ts'
import { toJson } from '../../domain/credit-notes/view.ts'
import { DomainError, noSuch } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { lastNumber, notesOf } from '../../storage/credit-notes/credit-notes.ts'
import { commitIssue } from '../../storage/credit-notes/issue.ts'
import { deadlineMs } from '../../storage/postgres/db.ts'
import { newestBlock } from '../../storage/settlement/cursors.ts'
import { type CreditParts, findInvoice } from '../claims/credits.ts'
import { afterSettling } from '../jobs.ts'
import { decidePayments, paymentsOf } from '../payments.ts'
import { untilWon } from '../races.ts'
import { newReceiptId } from '../receipts.ts'
import { freedAtOnceMicro } from './freeing.ts'

/** Issues credit notes, those of one account in turn: their numbers follow one another. */
export function createIssuing(parts: CreditParts) {
  const { sql, now, newId } = parts
  const onSettled = afterSettling(parts)
  const inTurn = createConcurrencyLimit({
    perKey: 1,
    maxWaitingPerKey: 64,
    maxWaitMs: deadlineMs,
    refusal: (why) => busy(why === 'full' ? 'overloaded' : 'unavailable'),
  })

  /** Errors as of `draftOf`; `not_found`; `overloaded`; `unavailable` after 6 s in line. */
  function issue(
    accountId: string,
    invoiceId: string,
    request: Request,
    idempotency: Idempotency | null,
  ): Promise<CreditNote> {
    const attempt = async () => {
      const invoice = await ownInvoice(accountId, invoiceId)
      // Read after the invoice: of a newer note the commit would know.
      const notes = await notesOf(sql, invoiceId)
      return commit(invoice, draftOf(invoice, notes, request), idempotency)
    }
    return inTurn.run(accountId, () => untilWon(attempt, () => busy('overloaded')))
  }

  async function ownInvoice(accountId: string, invoiceId: string): Promise<Invoice> {
    const invoice = await findInvoice(sql, invoiceId)
    if (invoice.accountId !== accountId) throw noSuch('invoice')
    return invoice
  }

  /** Undefined: another process was faster. */
  async function commit(
    invoice: Invoice,
    draft: Draft,
    idempotency: Idempotency | null,
  ): Promise<CreditNote | undefined> {
    const at = now()
    const note = await numbered(invoice, draft, at)
    const number = numberOf(note)
    const head = await newestBlock(sql, invoice.terms.chain)
    const command = {
      kind: 'take_back',
      credit: { noteId: note.id, number, ...draft.credit },
      head,
      settlementId: `stl_${newId()}`,
      receiptId: newReceiptId(),
    } as const
    const decided = decidePayments(invoice, [command], { ...parts, at })
    if (!decided) throw new Error('a credit note changes its invoice')
    const issue = {
      ...paymentsOf([decided], at),
      note,
      entry: { type: 'credit_note.issued', data: toJson(note, note.terms.form) },
      release: releaseOf(invoice, note),
      issuedIn: Math.max(head, ...invoice.progress.payments.map(({ blockNumber }) => blockNumber)),
      idempotency,
    }
    if (!(await commitIssue(sql, issue))) return undefined
    onSettled([invoice.id])
    return note
  }

  async function numbered(invoice: Invoice, draft: Draft, at: Date): Promise<CreditNote> {
    const { accountId, id: invoiceId } = invoice
    const { terms, refunds } = draft
    const ids = { id: newId(), accountId, invoiceId }
    const command: Command = { kind: 'issue', ...ids, terms, refunds }
    const note = evolve(undefined, decide(undefined, command), at) as CreditNote
    if (note.number === null) return note
    return { ...note, number: (await lastNumber(sql, accountId, note.year)) + 1 }
  }

  return { issue }
}

function releaseOf({ id, terms: { mandateId } }: Invoice, note: CreditNote) {
  if (mandateId === null) return null
  return { invoiceId: id, mandateId, amountMicro: freedAtOnceMicro(note) }
}

function busy(reason: 'overloaded' | 'unavailable'): DomainError {
  return new DomainError(reason, 'Too many credit notes are being issued; try again shortly', {
    retryAfterSeconds: 1,
  })
}
