import { useLoaded } from './api.ts'
import { money } from './format.ts'
import { Card, Empty, Page, Show, Table } from './parts.tsx'

type Country = {
  readonly countryCode: string | null
  readonly country: string | null
  readonly taxRate: number
  readonly subtotal: number
  readonly tax: number
  readonly totalWithTax: number
  readonly invoiceCount: number
}
type Currency = Country & { readonly currency: string; readonly byCountry: readonly Country[] }
type Answer = { readonly data: { readonly currencies: readonly Currency[] } }

const path = '/api/v1/dashboard/tax-summary'

export function TaxSummary() {
  const found = useLoaded<Answer>(path)
  return (
    <Page
      title="Tax summary"
      action={
        <button type="button" onClick={download}>
          Download CSV
        </button>
      }
    >
      <Show from={found}>
        {({ data }) =>
          data.currencies.length === 0 ? (
            <Empty>Nothing settled yet: taxes count once an invoice is settled.</Empty>
          ) : (
            data.currencies.map((figures) => <Countries key={figures.currency} figures={figures} />)
          )
        }
      </Show>
    </Page>
  )
}

function Countries({ figures: { currency, byCountry } }: { figures: Currency }) {
  return (
    <Card title={currency}>
      <Table
        label={`Tax in ${currency}`}
        head={['Country', 'Rate', 'Invoices', 'Net', 'Tax', 'Total']}
      >
        {byCountry.map((one) => (
          <tr key={`${one.countryCode} ${one.taxRate}`}>
            <td>{one.country ?? 'No country'}</td>
            <td className="number">{one.taxRate} %</td>
            <td className="number">{one.invoiceCount}</td>
            <td className="number">{money(one.subtotal, currency)}</td>
            <td className="number">{money(one.tax, currency)}</td>
            <td className="number">{money(one.totalWithTax, currency)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

/** What was settled, a currency at a time: the sums, and the tax of each country as a bar. */
export function Figures() {
  const found = useLoaded<Answer>(path)
  return (
    <Show from={found}>
      {({ data }) =>
        data.currencies.length === 0 ? (
          <Empty>Nothing settled yet.</Empty>
        ) : (
          <div className="cards">
            {data.currencies.map((figures) => (
              <Card key={figures.currency} title={`Settled in ${figures.currency}`}>
                <p className="big number">{money(figures.totalWithTax, figures.currency)}</p>
                <p className="quiet">
                  {figures.invoiceCount} {figures.invoiceCount === 1 ? 'invoice' : 'invoices'}, of
                  which tax {money(figures.tax, figures.currency)}
                </p>
                <Bars figures={figures} />
              </Card>
            ))}
          </div>
        )
      }
    </Show>
  )
}

function Bars({ figures: { currency, byCountry } }: { figures: Currency }) {
  const taxed = byCountry.filter(({ tax }) => tax > 0)
  const most = Math.max(...taxed.map(({ tax }) => tax))
  return (
    <ul className="bars">
      {taxed.map(({ country, taxRate, tax }) => (
        <li key={`${country} ${taxRate}`}>
          <span>
            {country} ({taxRate} %)
          </span>
          <span className="number">{money(tax, currency)}</span>
          <progress max={most} value={tax} aria-label={`Tax of ${country} at ${taxRate} %`} />
        </li>
      ))}
    </ul>
  )
}

async function download() {
  const response = await fetch(path, { headers: { accept: 'text/csv' } })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = 'tax-summary.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
