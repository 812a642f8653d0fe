import { english } from '../../documents/words/english.ts'
import { money, when } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { LinesTable, TaxFacts } from '../parts/invoice-lines.tsx'
import { Card, CodeFact, Fact, LinkButton, Page, Prose, Show } from '../parts/parts.tsx'
import { Refunds } from '../parts/refunds.tsx'
import { type CreditNote, NoteStatus, refreshNotes } from './credit-notes.tsx'
import type { Full } from './invoice.tsx'

export function CreditNotePage({ id }: { id: string }) {
  const found = useLoaded<CreditNote>(`/api/credit-notes/${id}`, refreshNotes)
  const title = found.data?.creditNoteNumber ?? 'Credit note'
  return (
    <Page title={title} above={['#/credit-notes', 'Credit notes']}>
      <Show from={found}>{(note) => <Detail note={note} onChanged={found.reload} />}</Show>
    </Page>
  )
}

function Detail({ note, onChanged }: { note: CreditNote; onChanged: () => void }) {
  const { id, currency, total, invoiceId, refunds } = note
  const invoice = useLoaded<Full>(`/api/invoices/${invoiceId}`)
  return (
    <>
      <p className="headline">
        <strong className="number">{money(total, currency)}</strong>
        <span aria-live="polite">
          <NoteStatus note={note} />
        </span>
      </p>
      <p className="actions">
        {['pdf', 'xml'].map((file) => (
          <LinkButton key={file} href={`/api/credit-notes/${id}/${file}`}>
            {file.toUpperCase()}
          </LinkButton>
        ))}
      </p>
      <Terms note={note} />
      <Show from={invoice}>
        {(one) => (
          <>
            <Credited note={note} invoice={one} />
            {refunds.length > 0 && <Refunds note={note} invoice={one} onChanged={onChanged} />}
          </>
        )}
      </Show>
    </>
  )
}

function Terms({ note }: { note: CreditNote }) {
  const { id, invoiceId, invoiceNumber, reason, amountUsdc, refunds, createdAt } = note
  return (
    <Card title="Credit note">
      <dl className="two">
        <Fact name="Invoice">
          <a href={`#/invoices/${invoiceId}`}>{invoiceNumber}</a>
        </Fact>
        <Fact name="Reason">
          <Prose text={reason ?? '—'} />
        </Fact>
        <TaxFacts of={note} shares={note.taxBreakdown} />
        <Fact name="In USDC">
          {english.amount(amountUsdc, 'USDC')}
          {refunds.length === 0 && ' less is due'}
        </Fact>
        <Fact name="Created">{when(createdAt)}</Fact>
        <CodeFact name="Id" text={id} copy="Copy id" />
      </dl>
    </Card>
  )
}

/** The lines, where it names some: their words are the invoice's. */
function Credited({ note, invoice }: { note: CreditNote; invoice: Full }) {
  const lines = (note.lines ?? []).flatMap(({ line, quantity, net }) => {
    const invoiced = invoice.lines?.[line - 1]
    return invoiced ? [{ ...invoiced, quantity, net }] : []
  })
  if (lines.length === 0) return null
  return (
    <Card title="Lines">
      <LinesTable lines={lines} currency={note.currency} />
    </Card>
  )
}
