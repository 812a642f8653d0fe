import { type InputHTMLAttributes, useEffect, useRef, useState } from 'react'
import { atPage, filtered, pageIn } from '../address.ts'
import { download } from '../api.ts'
import { money, when } from '../format.ts'
import { anyInvoice } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { countOf } from '../parts/charts.tsx'
import { Pager, Table } from '../parts/lists.tsx'
import { Cut, Empty, Page, Show, Status } from '../parts/parts.tsx'

export type Summary = {
  readonly id: string
  readonly invoiceNumber: string
  readonly status: string
  readonly statusDetail: string
  readonly kind: string
  readonly currency: string
  readonly total: number
  readonly buyer: { readonly companyName: string | null; readonly email: string | null }
  readonly createdAt: string
}

export type List = {
  readonly data: readonly Summary[]
  readonly total: number
  readonly hasMore: boolean
}

/** The statuses to filter by, and what the invoices found under each are called. */
const statuses = [
  ['draft', 'draft, or partly paid'],
  ['sent', 'sent, or partly paid'],
  ['paid', 'paid'],
  ['settled', 'settled'],
  ['completed', 'completed'],
  ['failed', 'expired or void'],
] as const
const typingMs = 300

export function InvoiceTable({ invoices }: { invoices: readonly Summary[] }) {
  return (
    <Table label="Invoices" head={['Number', 'Total', 'Buyer', 'Status', 'Created']} folds>
      {invoices.map((invoice) => (
        <tr key={invoice.id}>
          <td>
            <a href={`#/invoices/${invoice.id}`}>{invoice.invoiceNumber}</a>
          </td>
          <td className="number">{money(invoice.total, invoice.currency)}</td>
          <td>
            <Cut text={invoice.buyer.companyName ?? invoice.buyer.email ?? '—'} />
          </td>
          <td>
            <InvoiceStatus invoice={invoice} />
          </td>
          <td className="minor">{when(invoice.createdAt)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Where an invoice stands, and that it is something bought. */
export function InvoiceStatus({ invoice }: { invoice: Summary }) {
  return (
    <>
      <Status of={invoice.statusDetail} /> {invoice.kind === 'purchase' && <Status of="purchase" />}
    </>
  )
}

/**
 * The account's invoices. Filters are kept in the address, so that going back shows the same list.
 */
export function Invoices({ query }: { query: string }) {
  const found = useLoaded<List>(`/api/invoices?limit=20&${query}`, {
    everyMs: 10_000,
    isAbout: anyInvoice,
  })
  const { busy, refusal, run } = useAction()
  return (
    <Page
      title="Invoices"
      action={
        <p className="actions">
          <button
            type="button"
            disabled={busy}
            onClick={() => run(() => download(`/api/invoices?${query}`, 'invoices.csv'))}
          >
            Download CSV
          </button>
          <a className="button primary" href="#/invoices/new">
            New invoice
          </a>
        </p>
      }
    >
      <Filters query={query} />
      {refusal}
      <Show from={found}>
        {(list) =>
          list.total === 0 ? (
            <NoneFound isFiltered={query !== ''} />
          ) : (
            <Found list={list} query={query} />
          )
        }
      </Show>
    </Page>
  )
}

function Filters({ query }: { query: string }) {
  const asked = new URLSearchParams(query)
  // Of the address itself: a filter set a moment ago may not be rendered yet.
  const ask = (name: string, value: string) =>
    location.replace(filtered(location.hash, name, value))
  return (
    <search className="filters">
      <Typed
        label="Search"
        type="search"
        maxLength={256}
        placeholder="Number, buyer, reference or transaction"
        asked={asked.get('search') ?? ''}
        onAsk={(text) => ask('search', text)}
      />
      <label className="field">
        <span>Status</span>
        <select
          value={asked.get('status') ?? ''}
          onChange={(event) => ask('status', event.target.value)}
        >
          <option value="">All</option>
          {statuses.map(([status, name]) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {(['startDate', 'endDate'] as const).map((name) => (
        <Typed
          key={name}
          label={name === 'startDate' ? 'Created from (UTC)' : 'Created before (UTC)'}
          type="date"
          asked={asked.get(name) ?? ''}
          onAsk={(date) => ask(name, date)}
        />
      ))}
    </search>
  )
}

function NoneFound({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Empty>No invoices yet.</Empty>
  return (
    <Empty>
      No invoice is like that. <a href="#/invoices">Show all</a>
    </Empty>
  )
}

function Found({ list, query }: { list: List; query: string }) {
  const page = pageIn(query)
  const turnTo = (wanted: number) => location.replace(atPage(location.hash, wanted))
  return (
    <>
      <InvoiceTable invoices={list.data} />
      <Pager
        back={page > 1 ? () => turnTo(page - 1) : null}
        onward={list.hasMore ? () => turnTo(page + 1) : null}
      >
        <span className="quiet">{countOf(list.total)}</span>
      </Pager>
    </>
  )
}

/**
 * A field that reports its text once typing has paused: a date is already valid after each digit of
 * its year. When the address changes otherwise, as on going back, the field takes its value.
 */
function Typed({
  label,
  asked,
  onAsk,
  ...rest
}: { label: string; asked: string; onAsk: (text: string) => void } & Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'maxLength' | 'placeholder'
>) {
  const [text, setText] = useState(asked)
  const last = useRef(asked)
  const ask = useRef(onAsk)
  ask.current = onAsk
  useEffect(() => {
    if (asked === last.current) return
    last.current = asked
    setText(asked)
  }, [asked])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === last.current) return
    const timer = setTimeout(() => {
      last.current = wanted
      ask.current(wanted)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label className="field">
      <span>{label}</span>
      <input value={text} onChange={(event) => setText(event.target.value)} {...rest} />
    </label>
  )
}
