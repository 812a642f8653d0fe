import { type FormEvent, useState } from 'react'
import { call, useLoaded } from './api.ts'
import { minorOf, money, short, when } from './format.ts'
import { Card, Copy, Empty, Fact, Field, Page, Show, Status, Table, useAction } from './parts.tsx'

export type Summary = {
  readonly id: string
  readonly invoiceNumber: string
  readonly status: string
  readonly currency: string
  readonly total: number
  readonly createdAt: string
}

type Full = Summary & {
  readonly subtotal: number
  readonly taxAmount: number
  readonly taxRate: number
  readonly description: string | null
  readonly buyer: { readonly companyName: string | null; readonly email: string | null }
  readonly dueAt: string | null
  readonly receiptId: string | null
  readonly paymentDetails: {
    readonly chain: string
    readonly paymentAddress: string
    readonly amountDue: string
    readonly amountReceived: string
    readonly txHash?: string
    readonly from?: string
    readonly settledAt?: string
    readonly matchedBy?: string
  }
}

export type List = {
  readonly data: readonly Summary[]
  readonly total: number
  readonly hasMore: boolean
}

type Bundle = {
  readonly hash: string
  readonly anchor: { readonly txHash: string; readonly blockNumber: number } | null
}

const states = ['draft', 'sent', 'paid', 'settled', 'completed', 'failed']
const refreshMs = 3_000

export function InvoiceTable({ invoices }: { invoices: readonly Summary[] }) {
  return (
    <Table label="Invoices" head={['Number', 'Status', 'Created', 'Total']}>
      {invoices.map((invoice) => (
        <tr key={invoice.id}>
          <td>
            <a href={`#/invoices/${invoice.id}`}>{invoice.invoiceNumber}</a>
          </td>
          <td>
            <Status of={invoice.status} />
          </td>
          <td>{when(invoice.createdAt)}</td>
          <td className="number">{money(invoice.total, invoice.currency)}</td>
        </tr>
      ))}
    </Table>
  )
}

export function Invoices() {
  const [status, setStatus] = useState('')
  const [page, setPage] = useState(1)
  const filter = status && `&status=${status}`
  const found = useLoaded<List>(`/api/invoices?limit=20&page=${page}${filter}`)
  const create = (
    <a className="button primary" href="#/invoices/new">
      New invoice
    </a>
  )
  return (
    <Page title="Invoices" action={create}>
      <label className="field narrow">
        <span>Status</span>
        <select
          value={status}
          onChange={(event) => {
            setStatus(event.target.value)
            setPage(1)
          }}
        >
          <option value="">All</option>
          {states.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Show from={found}>
        {({ data, total, hasMore }) =>
          data.length === 0 ? (
            <Empty>No invoices here yet.</Empty>
          ) : (
            <>
              <InvoiceTable invoices={data} />
              <div className="pager">
                <button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
                  Newer
                </button>
                <span className="quiet">{total} in all</span>
                <button type="button" disabled={!hasMore} onClick={() => setPage(page + 1)}>
                  Older
                </button>
              </div>
            </>
          )
        }
      </Show>
    </Page>
  )
}

export function Invoice({ id }: { id: string }) {
  const found = useLoaded<Full>(`/api/invoices/${id}`, refreshMs)
  return (
    <Page title={found.data?.invoiceNumber ?? 'Invoice'}>
      <Show from={found}>{(invoice) => <Detail invoice={invoice} onChanged={found.reload} />}</Show>
    </Page>
  )
}

function Detail({ invoice, onChanged }: { invoice: Full; onChanged: () => void }) {
  const { busy, refusal, run } = useAction()
  const { id, status, currency, paymentDetails } = invoice
  const tell = (what: string) =>
    run(async () => {
      await call('POST', `/api/invoices/${id}/${what}`)
      onChanged()
    })
  return (
    <>
      <p className="headline">
        <span aria-live="polite">
          <Status of={status} />
        </span>
        <strong className="number">{money(invoice.total, currency)}</strong>
      </p>
      <p className="actions">
        {status === 'draft' && (
          <button type="button" disabled={busy} onClick={() => tell('send')}>
            Mark as sent
          </button>
        )}
        {(status === 'draft' || status === 'sent') && (
          <button type="button" disabled={busy} onClick={() => tell('void')}>
            Void
          </button>
        )}
        <a className="button" href={`/api/invoices/${id}/pdf`} target="_blank" rel="noreferrer">
          PDF
        </a>
        <a className="button" href={`/pay/${id}`} target="_blank" rel="noreferrer">
          Payment page
        </a>
      </p>
      {refusal}
      <div className="cards">
        <Card title="Invoice">
          <dl>
            <Fact name="Buyer">{invoice.buyer.companyName ?? '—'}</Fact>
            <Fact name="For">{invoice.description ?? '—'}</Fact>
            <Fact name="Net">{money(invoice.subtotal, currency)}</Fact>
            <Fact name={`Tax (${invoice.taxRate} %)`}>{money(invoice.taxAmount, currency)}</Fact>
            <Fact name="Created">{when(invoice.createdAt)}</Fact>
            <Fact name="Due">{invoice.dueAt ? when(invoice.dueAt) : 'No due date'}</Fact>
          </dl>
        </Card>
        <Card title="Payment">
          <dl>
            <Fact name="Chain">{paymentDetails.chain}</Fact>
            <Fact name="Address">
              <code title={paymentDetails.paymentAddress}>
                {short(paymentDetails.paymentAddress)}
              </code>{' '}
              <Copy text={paymentDetails.paymentAddress} label="Copy payment address" />
            </Fact>
            <Fact name="Due">{paymentDetails.amountDue} USDC</Fact>
            <Fact name="Received">{paymentDetails.amountReceived} USDC</Fact>
            {paymentDetails.txHash && (
              <Fact name="Transaction">
                <code title={paymentDetails.txHash}>{short(paymentDetails.txHash)}</code>
              </Fact>
            )}
            {paymentDetails.matchedBy && <Fact name="Matched by">{paymentDetails.matchedBy}</Fact>}
            {paymentDetails.settledAt && (
              <Fact name="Settled">{when(paymentDetails.settledAt)}</Fact>
            )}
          </dl>
        </Card>
        {invoice.receiptId && <Receipt key={status} id={invoice.receiptId} />}
      </div>
    </>
  )
}

function Receipt({ id }: { id: string }) {
  const found = useLoaded<Bundle>(`/v1/public/receipts/${id}/bundle`)
  return (
    <Card title="Receipt">
      <Show from={found}>
        {({ hash, anchor }) => (
          <dl>
            <Fact name="Receipt">
              <a href={`/v1/public/receipts/${id}/bundle`}>{short(id)}</a>
            </Fact>
            <Fact name="Hash">
              <code title={hash}>{short(hash)}</code>
            </Fact>
            <Fact name="On chain">
              {anchor ? (
                <>
                  block {anchor.blockNumber},{' '}
                  <code title={anchor.txHash}>{short(anchor.txHash)}</code>
                </>
              ) : (
                'Waiting for its anchor'
              )}
            </Fact>
          </dl>
        )}
      </Show>
    </Card>
  )
}

const chains = ['base', 'polygon', 'arbitrum', 'skale', 'solana']

export function NewInvoice() {
  const { busy, refusal, run } = useAction()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => `${form.get(name) ?? ''}`.trim()
    void run(async () => {
      const currency = text('currency').toUpperCase()
      const amount = minorOf(text('amount'), currency)
      if (amount === null) throw new Error('The amount is a positive number, such as 1250.00')
      const country = text('country').toUpperCase()
      const made = await call<Full>('POST', '/api/invoices', {
        amount,
        currency,
        chain: text('chain'),
        ...(country && { taxCountry: country }),
        ...(text('description') && { description: text('description') }),
        buyer: { companyName: text('buyer'), email: text('email') },
        seller: { name: text('seller'), wallet: text('wallet') },
      })
      location.hash = `#/invoices/${made.id}`
    })
  }
  return (
    <Page title="New invoice">
      <form className="card form" onSubmit={submit}>
        <Field
          label="Amount, before tax"
          name="amount"
          inputMode="decimal"
          placeholder="1250.00"
          required
        />
        <Field label="Currency" name="currency" defaultValue="USDC" maxLength={4} required />
        <label className="field">
          <span>Chain</span>
          <select name="chain">
            {chains.map((chain) => (
              <option key={chain}>{chain}</option>
            ))}
          </select>
        </label>
        <Field label="Country of tax, if any" name="country" placeholder="DE" maxLength={2} />
        <Field label="Buyer" name="buyer" required maxLength={256} />
        <Field label="Buyer’s e-mail" name="email" type="email" required />
        <Field label="Your name" name="seller" required maxLength={256} />
        <Field label="Your wallet" name="wallet" required maxLength={64} />
        <Field label="Description" name="description" />
        {refusal}
        <p className="actions">
          <button type="submit" className="primary" disabled={busy}>
            Create invoice
          </button>
          <a className="button" href="#/invoices">
            Cancel
          </a>
        </p>
      </form>
    </Page>
  )
}
