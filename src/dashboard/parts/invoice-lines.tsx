import type { ReactNode } from 'react'
import { untaxed } from '../../documents/pdf/items.ts'
import { unitPriceText } from '../../documents/stated.ts'
import { english } from '../../documents/words/english.ts'
import { priceOf, type ShownLine, type ShownShare } from '../credit-form.ts'
import { money, taxText } from '../format.ts'
import { Table } from './lists.tsx'
import { Fact } from './parts.tsx'

/** `added`: the name of a column more, and its cell for the line at a place. */
export function LinesTable(props: {
  lines: readonly ShownLine[]
  currency: string
  added?: readonly [name: string, cell: (at: number) => ReactNode]
}) {
  const { lines, currency, added } = props
  const head = ['Description', 'Quantity', 'Unit price', 'VAT', 'Net']
  return (
    <Table
      label="Quantities and prices"
      head={added ? [...head, added[0]] : head}
      rows={[...lines.entries()]}
    >
      {([at, line]) => (
        <tr key={at}>
          <td className="several line">
            <span className="lines">{line.description}</span>
          </td>
          <td className="number" data-name="Quantity">
            {english.quantity(line.quantity, line.unit)}
          </td>
          <td className="number" data-name="Unit price">
            {english.number(unitPriceText({ unitPrice: priceOf(line, currency) }, currency))}
          </td>
          <td data-name="VAT">{taxText(line.taxCategory, line.taxRate)}</td>
          <td className="number" data-name="Net">
            {money(line.net, currency)}
          </td>
          {added && (
            <td className="number" data-name={added[0]}>
              {added[1](at)}
            </td>
          )}
        </tr>
      )}
    </Table>
  )
}

/** Net, a fact for each kind of tax, and the total. */
export function TaxFacts(props: {
  of: { readonly subtotal: number; readonly total: number; readonly currency: string }
  shares: readonly ShownShare[]
}) {
  const { of, shares } = props
  const { subtotal, total, currency } = of
  return (
    <>
      <Fact name="Net">{money(subtotal, currency)}</Fact>
      {shares.map(({ category, rate, base, tax }) => (
        <Fact key={`${category} ${rate}`} name={untaxed[category] ? 'VAT' : `VAT ${rate}\u00a0%`}>
          {untaxed[category] ? taxText(category, rate) : money(tax, currency)}
          {shares.length > 1 && <span className="quiet"> on {money(base, currency)}</span>}
        </Fact>
      ))}
      <Fact name="Total">{money(total, currency)}</Fact>
    </>
  )
}
