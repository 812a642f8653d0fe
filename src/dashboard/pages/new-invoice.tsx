import { invoiceChains } from '../../domain/network.ts'
import { today } from '../format.ts'
import { invoiceOf, invoiceProblems } from '../forms.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { chainName } from '../parts/chain-links.tsx'
import { CurrencyChoice, TaxCountryChoice } from '../parts/choices.tsx'
import { Area, Choice, Field, Form } from '../parts/fields.tsx'
import { Page } from '../parts/parts.tsx'
import type { Summary } from './invoices.tsx'

export function NewInvoice() {
  const create = useCreation<Summary>('/api/invoices')
  async function submit(fields: FormData) {
    const created = await create(invoiceOf(fields))
    location.hash = `#/invoices/${created.id}`
  }
  return (
    <Page title="New invoice" above={['#/invoices', 'Invoices']}>
      <Form
        title="New invoice"
        isUntitled
        button="Create invoice"
        check={invoiceProblems}
        onSubmit={submit}
        aside={
          <a className="button" href="#/invoices">
            Cancel
          </a>
        }
      >
        <h2>What is due</h2>
        <div className="pair">
          <Field
            label="Amount, before tax"
            name="amount"
            inputMode="decimal"
            placeholder="1250.00"
            required
          />
          <CurrencyChoice />
        </div>
        <div className="halves">
          <ChainField />
          <TaxCountryChoice />
        </div>
        <Area label="Description" name="description" maxLength={4_000} />
        <Field label="Due at the end of this day (UTC)" name="dueAt" type="date" min={today()} />
        <h2>Who pays</h2>
        <div className="halves">
          <Field label="Buyer’s name" name="buyer/companyName" required maxLength={256} />
          <Field label="Buyer’s e-mail" name="buyer/email" type="email" required />
        </div>
        <h2>Who is paid</h2>
        <SellerName />
        <Field
          label="Your wallet"
          name="seller/wallet"
          hint="Shown on the invoice and its receipt. Payments go to your account’s payment address on the chain."
          required
          maxLength={64}
        />
        <TaxDetails />
      </Form>
    </Page>
  )
}

const notRead =
  'No chain is being read at the moment, so payments would not be seen. Is a worker running?'

/** Nobody would see a payment on a chain that is not read, so such a chain is not offered. */
function ChainField() {
  const { data, error } = useLoaded<readonly string[]>('/dashboard/chains', { everyMs: 10_000 })
  const offered = data ?? (error ? invoiceChains : [])
  return (
    <Choice label="Chain" name="chain" required hint={data?.length === 0 ? notRead : undefined}>
      {offered.map((chain) => (
        <option key={chain} value={chain}>
          {chainName(chain)}
        </option>
      ))}
    </Choice>
  )
}

function SellerName() {
  const { data } = useLoaded<{ name: string | null }>('/api/account/profile')
  return (
    <Field
      label="Your name"
      name="seller/name"
      placeholder={data?.name ?? ''}
      hint={data?.name ? 'Empty: the name in your profile' : undefined}
      required={!data?.name}
      maxLength={256}
    />
  )
}

function TaxDetails() {
  return (
    <details>
      <summary>Addresses and VAT ids</summary>
      <div className="fields">
        <Area label="Your address" name="seller/address" maxLength={500} />
        <Field label="Your VAT id" name="seller/vat" placeholder="DE136695976" maxLength={64} />
        <Area label="Buyer’s address" name="buyer/address" maxLength={500} />
        <Field label="Buyer’s VAT id" name="buyer/vat" maxLength={64} />
      </div>
    </details>
  )
}
