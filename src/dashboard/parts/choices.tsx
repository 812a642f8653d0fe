import { countryCodes } from '../../domain/country.ts'
import { currencies } from '../../domain/money/currency.ts'
import { filtered } from '../address.ts'
import { today } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import type { Rates } from '../invoice-form.ts'
import { periodIn, periodsAt } from '../periods.ts'
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

/** The VAT of today, by the name of the country. */
export function useRates(): readonly Rates[] {
  const { data } = useLoaded<{ data: readonly Rates[] }>('/api/v1/tax/rates')
  return (data?.data ?? [])
    .filter(({ from }) => from <= today())
    .toSorted((a, b) => a.country.localeCompare(b.country))
}

export function TaxCountryChoice({ rates }: { rates: readonly Rates[] }) {
  return (
    <Choice label="Tax country" name="taxCountry">
      <option value="">None: no tax is added</option>
      {rates.map(({ countryCode, country, standard }) => (
        <option key={countryCode} value={countryCode}>
          {country}, {standard} %
        </option>
      ))}
    </Choice>
  )
}

/** `known`: what an empty choice means. */
export function CountryChoice(props: {
  label: string
  name: string
  known?: string | null | undefined
  chosen?: string | null
}) {
  const { label, name, known, chosen } = props
  return (
    <Choice label={label} name={name} defaultValue={chosen ?? ''}>
      <option value="">{known && `In your profile: ${regions.of(known)}`}</option>
      {countries.map(([code, country]) => (
        <option key={code} value={code}>
          {country}
        </option>
      ))}
    </Choice>
  )
}

const regions = new Intl.DisplayNames('en', { type: 'region' })
const countries = Array.from(
  countryCodes,
  (code) => [code, regions.of(code) ?? code] as const,
).toSorted(([, a], [, b]) => a.localeCompare(b))

/** Keeps the period in the address. `otherwise`: what is shown without one. */
export function PeriodChoice({ query, otherwise }: { query: string; otherwise: string }) {
  const { period } = periodIn(query)
  const recent = periodsAt(today())
  // A link may ask for any other.
  const isOther = period !== null && recent.every(([known]) => known !== period)
  return (
    <select
      className="period"
      aria-label="Period (UTC)"
      value={period ?? ''}
      onChange={({ target }) => location.replace(filtered(location.hash, 'period', target.value))}
    >
      <option value="">{otherwise}</option>
      {isOther && <option>{period}</option>}
      {recent.map(([known, name]) => (
        <option key={known} value={known}>
          {name}, {known}
        </option>
      ))}
    </select>
  )
}
