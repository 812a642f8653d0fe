import { currencies } from '../../domain/money/currency.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Choice } from './fields.tsx'

const usual = ['USDC', 'EUR', 'USD', 'GBP', 'CHF', 'PLN', 'SEK', 'DKK', 'JPY']
const others = [...currencies].filter((code) => !usual.includes(code)).toSorted()
const names = new Intl.DisplayNames('en', { type: 'currency' })

export function CurrencyChoice({ chosen = 'USDC' }: { chosen?: string | undefined }) {
  return (
    <Choice label="Currency" name="currency" defaultValue={chosen} required>
      <optgroup label="Usual">{usual.map(option)}</optgroup>
      <optgroup label="Others">{others.map(option)}</optgroup>
    </Choice>
  )
}

function option(code: string) {
  // Of ISO 4217 alone; an unknown code is its own name.
  const name = code === 'USDC' ? code : names.of(code)
  return (
    <option key={code} value={code}>
      {name === code ? code : `${code}, ${name}`}
    </option>
  )
}

type Rates = {
  readonly countryCode: string
  readonly country: string
  readonly standard: number
  /** A day, which may be to come. */
  readonly from: string
}

export function TaxCountryChoice() {
  const { data } = useLoaded<{ data: readonly Rates[] }>('/api/v1/tax/rates')
  const today = new Date().toISOString().slice(0, 10)
  const offered = (data?.data ?? [])
    .filter(({ from }) => from <= today)
    .toSorted((a, b) => a.country.localeCompare(b.country))
  return (
    <Choice label="Tax country" name="taxCountry">
      <option value="">None: no tax is added</option>
      {offered.map(({ countryCode, country, standard }) => (
        <option key={countryCode} value={countryCode}>
          {country}, {standard} %
        </option>
      ))}
    </Choice>
  )
}
