import type { FormEvent } from 'react'
import { invoiceChains } from '../../domain/network.ts'
import { invoiceOf } from '../forms.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { chainName } from '../parts/chain-links.tsx'
import { Area, Field } from '../parts/fields.tsx'
import { Page } from '../parts/parts.tsx'
import type { Summary } from './invoices.tsx'

export function NewInvoice() {
  const { busy, refusal, run } = useAction()
  const create = useCreation<Summary>('/api/invoices')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void run(async () => {
      const created = await create(invoiceOf(new FormData(form)))
      location.hash = `#/invoices/${created.id}`
    }, form)
  }
  return (
    <Page title="New invoice" above={['#/invoices', 'Invoices']}>
      <form className="card form" onSubmit={submit}>
        <div className="pair">
          <Field
            label="Amount, before tax"
            name="amount"
            inputMode="decimal"
            placeholder="1250.00"
            required
          />
          <Field label="Currency" name="currency" defaultValue="USDC" maxLength={4} required />
        </div>
        <ChainField />
        <Field label="Tax country (optional)" name="taxCountry" placeholder="DE" maxLength={2} />
        <Field label="Buyer’s name" name="buyer/companyName" required maxLength={256} />
        <Field label="Buyer’s e-mail" name="buyer/email" type="email" required />
        <Field label="Your name" name="seller/name" required maxLength={256} />
        <Field
          label="Your wallet"
          name="seller/wallet"
          hint="Shown on the invoice and its receipt. Payments go to your account’s payment address on the chain."
          required
          maxLength={64}
        />
        <Area label="Description" name="description" maxLength={4_000} />
        <Field label="Due at the end of this day (UTC, optional)" name="dueAt" type="date" />
        <TaxDetails />
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

/** Nobody would see a payment on a chain that is not read, so such a chain is not offered. */
function ChainField() {
  const { data, error } = useLoaded<readonly string[]>('/dashboard/chains', { everyMs: 10_000 })
  const offered = data ?? (error ? invoiceChains : [])
  return (
    <label className="field">
      <span>Chain</span>
      <select name="chain" required>
        {offered.map((chain) => (
          <option key={chain} value={chain}>
            {chainName(chain)}
          </option>
        ))}
      </select>
      {data?.length === 0 && (
        <small className="quiet">
          No chain is being read at the moment, so payments would not be seen. Is a worker running?
        </small>
      )}
    </label>
  )
}

function TaxDetails() {
  return (
    <details>
      <summary>Addresses and VAT ids</summary>
      <div className="form">
        <Area label="Your address" name="seller/address" maxLength={500} />
        <Field label="Your VAT id" name="seller/vat" placeholder="DE136695976" maxLength={64} />
        <Area label="Buyer’s address" name="buyer/address" maxLength={500} />
        <Field label="Buyer’s VAT id" name="buyer/vat" maxLength={64} />
      </div>
    </details>
  )
}
