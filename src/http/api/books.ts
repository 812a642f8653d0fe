import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Books } from '../../actors/books.ts'
import { accounts, type Entry, type Row } from '../../domain/books/journal.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import type { Docs, Operations } from '../operation.ts'
import { daysIn, periodQuery } from '../request/period.ts'
import { listQueryOf } from '../request/request-url.ts'
import { csvHeaders, wantsCsv } from '../response/csv.ts'
import { streamed } from '../response/streamed.ts'
import { exportSilentSeconds } from '../shared/invoice-routes.ts'

const columns = ['date', 'entry', 'account', 'document', 'currency', 'debit', 'credit'] as const

const docs: Docs = {
  summary: 'Export the journal',
  description:
    `The double-entry journal of a period, or of all time, in the order of time, with the members ${columns.map((name) => `\`${name}\``).join(', ')}: ` +
    'a JSON object a line or, with `Accept: text/csv`, a table. `date` is a UTC day, `debit` and `credit` are decimals, one of which is null (in the table empty). ' +
    'The rows of one `entry`, such as `sale:INV-2026-0001`, follow each other and balance in each currency. ' +
    `Accounts: ${accounts.map((name) => `\`${name}\``).join(', ')}. ` +
    'A sale or purchase counts on the day of its settlement, in the currency of the document; a payment, and the fee on it, at the time of the block, in USDC. `clearing` is between the two.',
  query: Type.Object(periodQuery),
  csv: true,
  answers: { 200: Type.String({ contentMediaType: 'application/x-ndjson' }) },
  refusals: ['overloaded'],
}

type Parts = { readonly books: Books; readonly exports: AnswerSlots }

export function bookRoutes(operation: Operations, { books, exports }: Parts) {
  return new Elysia().get(
    '/api/books',
    operation({ scope: 'invoices:read', docs }, async (call) => {
      const { principal, request } = call
      const days = listQueryOf(request.url, daysIn)
      const { headers, head, line } = wantsCsv(request) ? asCsv : asLines
      call.keepOpen(exportSilentSeconds)
      return withSlot(exports, call, ({ ended }) =>
        streamed(headers, head, texts(books.journal(principal.accountId, days), line), ended),
      )
    }),
  )
}

/** A page of entries as text. */
async function* texts(
  pages: AsyncGenerator<readonly Entry[], void>,
  line: (row: Row) => string,
): AsyncGenerator<string, void> {
  for await (const entries of pages) {
    const lines: string[] = []
    for (const { rows } of entries) for (const row of rows) lines.push(line(row))
    yield lines.join('')
  }
}

const asLines = {
  headers: {
    'content-type': 'application/x-ndjson',
    'content-disposition': 'attachment; filename="journal.ndjson"',
  },
  head: '',
  line: (row: Row) => `${JSON.stringify(row)}\n`,
}

const asCsv = {
  headers: csvHeaders('journal'),
  head: `${columns.join(',')}\r\n`,
  // No cell needs quotes: names, numbers and hashes are of letters, digits and -:_.
  line: ({ date, entry, account, document, currency, debit, credit }: Row) =>
    `${date},${entry},${account},${document},${currency},${debit ?? ''},${credit ?? ''}\r\n`,
}
