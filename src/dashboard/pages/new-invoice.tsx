import { useRef, useState } from 'react'
import { invoiceChains } from '../../domain/network.ts'
import { today } from '../format.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useTyped } from '../hooks/use-typed.ts'
import { invoiceOf, invoiceProblems, isFlat, pricedOf } from '../invoice-form.ts'
import { chainName } from '../parts/chain-links.tsx'
import { CountryChoice, CurrencyChoice, TaxCountryChoice, useRates } from '../parts/choices.tsx'
import { Area, Choice, Field, Form } from '../parts/fields.tsx'
import { LineEditor } from '../parts/line-editor.tsx'
import { LinkButton, Page } from '../parts/parts.tsx'
import type { Summary } from './invoices.tsx'
import type { Profile } from './profile.tsx'

export function NewInvoice() {
  const create = useCreation<Summary>('/api/invoices')
  const rates = useRates()
  const { data: profile } = useLoaded<Profile>('/api/account/profile')
  const place = useRef<HTMLDivElement>(null)
  const [ids, setIds] = useState<readonly number[]>([0])
  const typed = useTyped(place, `${ids}`)
  const taxed = rates.find(({ countryCode }) => countryCode === typed.get('taxCountry'))
  const lines = { isFlat: isFlat(typed), typed, priced: pricedOf(typed, taxed), rates: taxed }
  async function submit(fields: FormData) {
    const created = await create(invoiceOf(fields))
    location.hash = `#/invoices/${created.id}`
  }
  return (
    <Page title="New invoice" above={['#/invoices', 'Invoices']}>
      <Form
        title="New invoice"
        isUntitled
        isWide
        button="Create invoice"
        check={invoiceProblems}
        onSubmit={submit}
        aside={<LinkButton href="#/invoices">Cancel</LinkButton>}
      >
        <h2>What is due</h2>
        <div className="halves" ref={place}>
          <CurrencyChoice />
          <TaxCountryChoice rates={rates} />
          <ChainField />
        </div>
        <LineEditor ids={ids} onIds={setIds} {...lines} />
        <div className="halves">
          <Field label="Due at the end of this day (UTC)" name="dueAt" type="date" min={today()} />
          <Field
            label="Buyer’s reference"
            name="buyerReference"
            placeholder="Its own mark of the order"
            maxLength={256}
          />
        </div>
        <h2>Who pays</h2>
        <div className="halves">
          <Field label="Buyer’s name" name="buyer/companyName" required maxLength={256} />
          <Field label="Buyer’s e-mail" name="buyer/email" type="email" required />
        </div>
        <h2>Who is paid</h2>
        <Seller profile={profile} />
        <TaxDetails profile={profile} isNeeded={!lines.isFlat} />
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

type OfProfile = { readonly profile: Profile | null }

function Seller({ profile }: OfProfile) {
  return (
    <div className="halves">
      <Field
        label="Your name"
        name="seller/name"
        placeholder={profile?.name ?? ''}
        hint={profile?.name ? 'Empty: the name in your profile' : undefined}
        required={!profile?.name}
        maxLength={256}
      />
      <Field
        label="Your wallet"
        name="seller/wallet"
        hint="Shown on the invoice and its receipt. Payments go to your account’s payment address on the chain."
        required
        maxLength={64}
      />
    </div>
  )
}

/** Lines need the countries of both parties and, by their VAT, their VAT ids. */
function TaxDetails({ profile, isNeeded }: OfProfile & { isNeeded: boolean }) {
  return (
    <details open={isNeeded}>
      <summary>Countries, addresses and VAT ids</summary>
      <div className="halves fields">
        <CountryChoice label="Your country" name="seller/country" known={profile?.country} />
        <Field
          label="Your VAT id"
          name="seller/vat"
          placeholder={profile?.vat ?? 'DE136695976'}
          hint={profile?.vat ? 'Empty: the one in your profile' : undefined}
          maxLength={64}
        />
        <CountryChoice label="Buyer’s country" name="buyer/country" />
        <Field label="Buyer’s VAT id" name="buyer/vat" maxLength={64} />
        <Area label="Your address" name="seller/address" maxLength={500} />
        <Area label="Buyer’s address" name="buyer/address" maxLength={500} />
      </div>
    </details>
  )
}
