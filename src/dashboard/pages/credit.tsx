import { useRef } from 'react'
import type { Figures } from '../../domain/credit-notes/amounts.ts'
import type { Left } from '../../domain/credit-notes/left.ts'
import { toDecimal } from '../../domain/money/money.ts'
import { atField, type Refusal } from '../api.ts'
import { askedIn, leftIn, leftTo } from '../credit-form.ts'
import { money } from '../format.ts'
import type { Fields } from '../forms.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useTyped } from '../hooks/use-typed.ts'
import { Area, Choice, Field, Form } from '../parts/fields.tsx'
import { LinesTable } from '../parts/invoice-lines.tsx'
import type { Listed } from '../parts/lists.tsx'
import { LinkButton, Page, Show } from '../parts/parts.tsx'
import { type CreditNote, notesOf } from './credit-notes.tsx'
import type { Full } from './invoice.tsx'

export function Credit({ id }: { id: string }) {
  const found = useLoaded<Full>(`/api/invoices/${id}`)
  const notes = useLoaded<Listed<CreditNote>>(notesOf(id))
  const number = found.data?.invoiceNumber ?? 'Invoice'
  return (
    <Page title={`Credit ${number}`} above={[`#/invoices/${id}`, number]}>
      <Show from={found}>
        {(invoice) => (
          <Show from={notes}>
            {({ data }) => (
              <CreditForm
                invoice={invoice}
                left={leftTo(invoice, data)}
                onExceeded={() => {
                  found.reload()
                  notes.reload()
                }}
              />
            )}
          </Show>
        )}
      </Show>
    </Page>
  )
}

type Props = { invoice: Full; left: Left; onExceeded(): void }

function CreditForm({ invoice, left, onExceeded }: Props) {
  const { id, kind, currency, lines } = invoice
  const create = useCreation<CreditNote>(`/api/invoices/${id}/credit-notes`)
  const place = useRef<HTMLDivElement>(null)
  const typed = useTyped(place)
  const by = typed.get('by')
  const asked = (fields: Fields) => askedIn(fields, left, invoice)
  const isPurchase = kind === 'purchase'
  async function submit(fields: FormData) {
    try {
      const note = await create(asked(fields).body)
      location.hash = `#/credit-notes/${note.id}`
    } catch (error) {
      const refusal = error as Refusal
      if (refusal.code !== 'CREDIT_EXCEEDED') throw error
      // Somebody else has credited the invoice in the meantime.
      onExceeded()
      throw atField(asked(fields).path, refusal)
    }
  }
  return (
    <Form
      title="Credit note"
      isUntitled
      isWide
      button={isPurchase ? 'Record the credit note' : 'Issue the credit note'}
      check={(fields) => asked(fields).problems}
      onSubmit={submit}
      aside={<LinkButton href={`#/invoices/${id}`}>Cancel</LinkButton>}
    >
      <p>{money(leftIn(left, invoice), currency)} can be credited.</p>
      {isPurchase && (
        <Field label="Number of the seller’s credit note" name="number" required maxLength={64} />
      )}
      <Area
        label="Reason, as the documents show it"
        name="reason"
        required={!isPurchase}
        maxLength={4_000}
      />
      <div ref={place}>
        <Choice label="What to credit" name="by">
          <option value="all">All that is left</option>
          {lines && <option value="lines">Quantities of lines</option>}
          <option value="amount">An amount</option>
        </Choice>
      </div>
      {by === 'amount' && (
        <Field
          label={`Amount in ${currency}, ${isPurchase ? 'a part of the price' : 'with tax'}`}
          name="amount"
          inputMode="decimal"
          required
        />
      )}
      {by === 'lines' && lines && (
        <LinesTable lines={lines} currency={currency} added={['Credit', quantityOf(left)]} />
      )}
      <Preview figures={asked(typed).figures} invoice={invoice} left={left} />
    </Form>
  )
}

/** The field for the quantity of a line that is credited. */
function quantityOf({ lines }: Left) {
  return (at: number) => {
    const leftMicro = lines[at]?.quantityMicro ?? 0n
    if (leftMicro <= 0n) return 'all credited'
    return (
      <Field
        label={`of ${toDecimal(leftMicro, 6)}`}
        aria-label={`Quantity of line ${at + 1} to credit`}
        name={`lines/${at}/quantity`}
        inputMode="decimal"
      />
    )
  }
}

type PreviewProps = { figures: Figures | null; invoice: Full; left: Left }

function Preview({ figures, invoice, left }: PreviewProps) {
  if (!figures) return null
  const { totalUnits, subtotalUnits, taxUnits } = figures
  const after = leftIn(left, invoice) - (invoice.kind === 'purchase' ? subtotalUnits : totalUnits)
  const text = (units: bigint) => money(units, invoice.currency)
  return (
    <p role="status">
      Credits <strong>{text(totalUnits)}</strong>: {text(subtotalUnits)} net and {text(taxUnits)} of
      VAT. {text(after)} would be left.
    </p>
  )
}
