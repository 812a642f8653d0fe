import type { Request } from '../../domain/credit-notes/draft.ts'
import type { ListQuery, Shown } from '../../domain/credit-notes/list.ts'
import { asIssued } from '../../domain/credit-notes/view.ts'
import { noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import * as Rows from '../../storage/credit-notes/credit-notes.ts'
import type { ListReader } from '../../storage/postgres/pools.ts'
import type { CreditParts } from '../claims/credits.ts'
import type { Signatures } from '../claims/signed.ts'
import type { Once } from '../once.ts'
import type { Payouts } from '../payouts.ts'
import { createIssuing } from './issuing.ts'
import { createProving } from './proving.ts'
import { createRefunding, type RefundReaders } from './refunding.ts'

export type CreditNotes = ReturnType<typeof createCreditNotes>

type Parts = CreditParts &
  Signatures & {
    readonly once: Once
    readonly list: ListReader
    readonly payouts: Payouts
    readonly readers: RefundReaders
  }

export type Issued = Shown & { readonly isReplay: boolean }

export function createCreditNotes(parts: Parts) {
  const { sql, once } = parts
  const issuing = createIssuing(parts)
  const proving = createProving(parts)

  /** Issues a note, or records that of a purchase's seller. Errors as of `Issuing.issue`. */
  async function issue(
    accountId: string,
    invoiceId: string,
    request: Request,
    idempotency: Idempotency | null,
  ): Promise<Issued> {
    const outcome = await once.run(accountId, idempotency, async () => {
      const note = await issuing.issue(accountId, invoiceId, request, idempotency)
      return { kind: 'issued' as const, note }
    })
    if (outcome.kind === 'issued') return { note: outcome.note, isPaid: true, isReplay: false }
    const { note } = await get(accountId, outcome.subjectId)
    return { note: asIssued(note), isPaid: true, isReplay: true }
  }

  /** Errors: `not_found`. */
  async function get(accountId: string, id: string): Promise<Shown> {
    const shown = isUuid(id) ? await Rows.findNote(sql, accountId, id) : null
    if (!shown) throw noSuch('credit note')
    return shown
  }

  /** The newest first. */
  async function list(accountId: string, query: ListQuery) {
    const found = await parts.list(accountId, (listSql) =>
      Rows.listNotes(listSql, accountId, query),
    )
    return { notes: found.slice(0, query.limit), hasMore: found.length > query.limit }
  }

  return { issue, get, list, ...createRefunding({ ...parts, proving }), proving }
}
