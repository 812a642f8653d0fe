import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { statusKeys } from '../../documents/status-words.ts'
import { english } from '../../documents/words/english.ts'
import type { StatusDetail } from '../../domain/invoices/figures.ts'
import { atPage, filtered, pageIn } from '../address.ts'
import { download } from '../api.ts'
import { when } from '../format.ts'
import { anyInvoice } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { countOf } from '../parts/charts.tsx'
import { Choice, Field } from '../parts/fields.tsx'
import { Figure } from '../parts/figure.tsx'
import { Pager, Table } from '../parts/lists.tsx'
import { Cut, Empty, LinkButton, Page, Show, Status } from '../parts/parts.tsx'
import type { Sorts } from '../sorting.ts'

export type Summary = {
  readonly id: string
  readonly invoiceNumber: string
  readonly status: string
  readonly statusDetail: StatusDetail
  readonly kind: string
  readonly currency: string
  readonly total: number
  readonly counterparty: { readonly name: string | null; readonly wallet: string | null }
  readonly createdAt: string
}

export type List = {
  readonly data: readonly Summary[]
  readonly total: number
  readonly hasMore: boolean
}

const statuses = [
  ['draft', 'open, or partly paid'],
  ['sent', 'open and sent, or partly paid'],
  ['paid', 'being confirmed'],
  ['settled', 'paid'],
  ['completed', 'paid and acknowledged'],
  ['failed', 'overdue or voided'],
] as const
const kinds = [
  ['sale', 'sales'],
  ['purchase', 'purchases'],
] as const
const choices = [
  { label: 'Status', name: 'status', of: statuses },
  { label: 'Kind', name: 'kind', of: kinds },
]
const fields = [
  { label: 'Agent', name: 'agentId', type: 'search', maxLength: 256 },
  { label: 'Created from (UTC)', name: 'startDate', type: 'date' },
  { label: 'Created before (UTC)', name: 'endDate', type: 'date' },
]
const typingMs = 300

export function InvoiceTable({ invoices }: { invoices: readonly Summary[] }) {
  return (
    <Table
      label="Invoices"
      head={['Number', 'Total', 'Counterparty', 'Status', 'Created']}
      rows={invoices}
      sorts={sorts}
    >
      {(invoice) => (
        <tr key={invoice.id}>
          <td>
            <a href={`#/invoices/${invoice.id}`}>{invoice.invoiceNumber}</a>
          </td>
          <td className="number">
            <Figure minor={invoice.total} currency={invoice.currency} />
          </td>
          <td>
            <Cut text={invoice.counterparty.name ?? '—'} />
          </td>
          <td>
            <InvoiceStatus invoice={invoice} />
          </td>
          <td className="minor">{when(invoice.createdAt)}</td>
        </tr>
      )}
    </Table>
  )
}

const sorts: Sorts<Summary> = {
  Number: ({ invoiceNumber }) => [invoiceNumber],
  Total: ({ currency, total }) => [currency, total],
  Counterparty: ({ counterparty }) => [counterparty.name ?? ''],
  Status: ({ statusDetail }) => [statusWord(statusDetail)],
  Created: ({ createdAt }) => [createdAt],
}

export function InvoiceStatus({ invoice }: { invoice: Pick<Summary, 'statusDetail' | 'kind'> }) {
  return (
    <>
      <Status of={invoice.statusDetail} text={statusWord(invoice.statusDetail)} />{' '}
      {invoice.kind === 'purchase' && <Status of="purchase" />}
    </>
  )
}

/** What people read for a status of the API. */
function statusWord(statusDetail: StatusDetail): string {
  return english.say(statusKeys[statusDetail]).toLowerCase()
}

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
          <LinkButton href="#/invoices/new" isPrimary>
            New invoice
          </LinkButton>
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
  const current = new URLSearchParams(query)
  // From the address, since a filter set a moment ago may not be rendered yet.
  const apply = (name: string, value: string) =>
    location.replace(filtered(location.hash, name, value))
  return (
    <search className="filters">
      <FilterField
        label="Search"
        name="search"
        type="search"
        maxLength={256}
        placeholder="Number, name, reference or transaction"
        value={current.get('search') ?? ''}
        onChanged={(text) => apply('search', text)}
      />
      {choices.map(({ label, name, of }) => (
        <Choice
          key={name}
          label={label}
          name={name}
          value={current.get(name) ?? ''}
          onChange={(event) => apply(name, event.target.value)}
        >
          <option value="">All</option>
          {of.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Choice>
      ))}
      {fields.map((field) => (
        <FilterField
          key={field.name}
          {...field}
          value={current.get(field.name) ?? ''}
          onChanged={(text) => apply(field.name, text)}
        />
      ))}
    </search>
  )
}

export function NoInvoices() {
  return (
    <Empty
      title="No invoices yet"
      action={
        <LinkButton href="#/invoices/new" isPrimary>
          Create the first invoice
        </LinkButton>
      }
    >
      Create one here or by the API, then send its payment link to the buyer.
    </Empty>
  )
}

function NoneFound({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <NoInvoices />
  return (
    <Empty
      title="No invoice matches these filters"
      action={<LinkButton href="#/invoices">Show all</LinkButton>}
    />
  )
}

function Found({ list, query }: { list: List; query: string }) {
  const page = pageIn(query)
  const goTo = (wanted: number) => location.replace(atPage(location.hash, wanted))
  return (
    <>
      <InvoiceTable invoices={list.data} />
      <Pager
        back={page > 1 ? () => goTo(page - 1) : null}
        onward={list.hasMore ? () => goTo(page + 1) : null}
      >
        <span className="quiet">{countOf(list.total)}</span>
      </Pager>
    </>
  )
}

/** Reports its text once typing pauses, and follows other changes of the address. */
function FilterField({
  value,
  onChanged,
  ...rest
}: ComponentProps<typeof Field> & { value: string; onChanged: (text: string) => void }) {
  const [text, setText] = useState(value)
  const last = useRef(value)
  const report = useRef(onChanged)
  report.current = onChanged
  useEffect(() => {
    if (value === last.current) return
    last.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === last.current) return
    const timer = setTimeout(() => {
      last.current = wanted
      report.current(wanted)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return <Field value={text} onChange={(event) => setText(event.target.value)} {...rest} />
}
