import { currencies } from '../../domain/money/currency.ts'
import { rates } from '../../domain/money/tax.ts'
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

const countries = Object.entries(rates).toSorted(([, a], [, b]) =>
  a.country.localeCompare(b.country),
)

export function TaxCountryChoice() {
  return (
    <Choice label="Tax country" name="taxCountry">
      <option value="">None: no tax is added</option>
      {countries.map(([code, { country, standardBasisPoints }]) => (
        <option key={code} value={code}>
          {country}, {standardBasisPoints / 100} %
        </option>
      ))}
    </Choice>
  )
}
