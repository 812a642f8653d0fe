import type { FormEvent } from 'react'
import { useMaking } from './api.ts'
import { chainName } from './chain-links.tsx'
import { amountRule, minorOf } from './format.ts'
import type { Summary } from './invoices.tsx'
import { Field, Page, useAction } from './parts.tsx'

const chains = ['base', 'polygon', 'arbitrum', 'skale', 'solana']

export function NewInvoice() {
  const { busy, refusal, run } = useAction()
  const make = useMaking<Summary>('/api/invoices')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => `${form.get(name) ?? ''}`.trim()
    void run(async () => {
      const currency = text('currency').toUpperCase()
      const amount = minorOf(text('amount'), currency)
      if (amount === null) throw new Error(`The amount is ${amountRule(currency)}`)
      const country = text('country').toUpperCase()
      const made = await make({
        amount,
        currency,
        chain: text('chain'),
        ...(country && { taxCountry: country }),
        ...(text('description') && { description: text('description') }),
        ...(text('dueAt') && { dueAt: text('dueAt') }),
        buyer: { companyName: text('buyer'), email: text('email') },
        seller: { name: text('seller'), wallet: text('wallet') },
      })
      location.hash = `#/invoices/${made.id}`
    })
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
        <label className="field">
          <span>Chain</span>
          <select name="chain">
            {chains.map((chain) => (
              <option key={chain} value={chain}>
                {chainName(chain)}
              </option>
            ))}
          </select>
        </label>
        <Field label="Country of tax, if any" name="country" placeholder="DE" maxLength={2} />
        <Field label="Buyer" name="buyer" required maxLength={256} />
        <Field label="Buyer’s e-mail" name="email" type="email" required />
        <Field label="Your name" name="seller" required maxLength={256} />
        <Field label="Your wallet" name="wallet" required maxLength={64} />
        <Field label="Description" name="description" />
        <Field label="Due, at midnight UTC (optional)" name="dueAt" type="date" />
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
