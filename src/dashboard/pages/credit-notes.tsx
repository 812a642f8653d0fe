import type { Network } from '../../domain/network.ts'
import type { Credited, Invoiced } from '../credit-form.ts'
import { when } from '../format.ts'
import { anyInvoice } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Figure } from '../parts/figure.tsx'
import { type Listed, Pager, pagingOf, Table } from '../parts/lists.tsx'
import { Card, Empty, LinkButton, Page, Show, Status } from '../parts/parts.tsx'

export type Refund = {
  readonly payer: string | null
  readonly to: string | null
  readonly chain: Network
  readonly amount: string
  readonly status: 'open' | 'refunded' | 'withheld'
  readonly paymentUri: string | null
  readonly txHash?: string
  readonly receiptId?: string | null
}

export type CreditNote = Credited &
  Pick<Invoiced, 'kind' | 'currency' | 'subtotal' | 'total'> & {
    readonly id: string
    readonly creditNoteNumber: string
    readonly status: 'issued' | 'refunded'
    readonly invoiceId: string
    readonly invoiceNumber: string
    readonly reason: string | null
    readonly amountUsdc: string
    readonly refunds: readonly Refund[]
    readonly createdAt: string
  }

/** A refund is noticed by a process that tells no other. */
export const refreshNotes = { everyMs: 5_000, isAbout: anyInvoice, isPartlyStreamed: true } as const

export function CreditNoteList({ query }: { query: string }) {
  const { isFirst, parameter, pagerProps } = pagingOf(query)
  const found = useLoaded<Listed<CreditNote>>(
    `/api/credit-notes?limit=20${parameter}`,
    refreshNotes,
  )
  return (
    <Page title="Credit notes">
      <Show from={found}>
        {({ data, nextCursor }) =>
          data.length === 0 && isFirst ? (
            <Empty
              title="No credit notes yet"
              action={<LinkButton href="#/invoices">See the invoices</LinkButton>}
            >
              A credit note takes an invoice back, in whole or in part. Open the invoice to make
              one.
            </Empty>
          ) : (
            <>
              <NoteTable notes={data} />
              {(!isFirst || nextCursor) && <Pager {...pagerProps(nextCursor)} />}
            </>
          )
        }
      </Show>
    </Page>
  )
}

/** Those of one invoice. */
export function CreditNotes({ invoiceId }: { invoiceId: string }) {
  const found = useLoaded<Listed<CreditNote>>(notesOf(invoiceId), refreshNotes)
  return (
    <Card title="Credit notes">
      <Show from={found}>{({ data }) => <NoteTable notes={data} />}</Show>
    </Card>
  )
}

export function notesOf(invoiceId: string): string {
  return `/api/credit-notes?limit=100&invoiceId=${encodeURIComponent(invoiceId)}`
}

function NoteTable({ notes }: { notes: readonly CreditNote[] }) {
  return (
    <Table
      label="Credit notes, newest first"
      head={['Number', 'Total', 'Invoice', 'Status', 'Documents', 'Created']}
      rows={notes}
    >
      {(note) => (
        <tr key={note.id}>
          <td>
            <a href={`#/credit-notes/${note.id}`}>{note.creditNoteNumber}</a>
          </td>
          <td className="number">
            <Figure minor={note.total} currency={note.currency} />
          </td>
          <td>{note.invoiceNumber}</td>
          <td>
            <NoteStatus note={note} />
          </td>
          <td>
            <a href={`/api/credit-notes/${note.id}/pdf`}>PDF</a>{' '}
            <a href={`/api/credit-notes/${note.id}/xml`}>XML</a>
          </td>
          <td className="minor">{when(note.createdAt)}</td>
        </tr>
      )}
    </Table>
  )
}

export function NoteStatus({ note: { status, refunds, kind } }: { note: CreditNote }) {
  const isA = (wanted: Refund['status']) => refunds.some((refund) => refund.status === wanted)
  if (isA('withheld')) return <Status of="withheld" />
  if (!isA('open')) return <Status of={status} />
  return <Status of="open" text={kind === 'purchase' ? 'expected' : 'to refund'} />
}
