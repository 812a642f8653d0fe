import { download } from '../api.ts'
import { anyInvoice } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { Bars } from '../parts/charts.tsx'
import { Figure } from '../parts/figure.tsx'
import { Table } from '../parts/lists.tsx'
import { Card, Empty, Page, Show } from '../parts/parts.tsx'
import type { Sorts } from '../sorting.ts'

type Line = {
  readonly subtotal: number
  readonly tax: number
  readonly totalWithTax: number
  readonly invoiceCount: number
}
type Country = Line & {
  readonly countryCode: string | null
  readonly country: string | null
  readonly taxRate: number
  readonly category: string
}
type Currency = Line & { readonly currency: string; readonly byCountry: readonly Country[] }
type Sums = { readonly currencies: readonly Currency[] }
type Answer = { readonly data: Sums & { readonly purchases: Sums } }

const path = '/api/v1/dashboard/tax-summary'

export function TaxSummary() {
  const found = useLoaded<Answer>(path, { everyMs: 15_000, isAbout: anyInvoice })
  const { busy, refusal, run } = useAction()
  return (
    <Page
      title="Tax summary"
      action={
        <button
          type="button"
          disabled={busy}
          onClick={() => run(() => download(path, 'tax-summary.csv'))}
        >
          Download CSV
        </button>
      }
    >
      {refusal}
      <Show from={found}>
        {({ data: { currencies, purchases } }) => (
          <>
            {currencies.length === 0 && (
              <Empty
                title="Nothing settled yet"
                action={
                  <a className="button" href="#/invoices">
                    See the open invoices
                  </a>
                }
              >
                Taxes count once an invoice is paid and the payment is final.
              </Empty>
            )}
            {currencies.map((figures) => (
              <Countries key={figures.currency} title={figures.currency} figures={figures} />
            ))}
            {purchases.currencies.map((figures) => (
              <Countries
                key={figures.currency}
                title={`Purchases through the proxy in ${figures.currency}: tax recorded, not paid`}
                figures={figures}
              />
            ))}
          </>
        )}
      </Show>
    </Page>
  )
}

function Countries({ title, figures }: { title: string; figures: Currency }) {
  const { currency, byCountry } = figures
  return (
    <Card title={title}>
      <Table
        label={`Tax: ${title}`}
        head={['Country', 'Rate', 'Invoices', 'Net', 'Tax', 'Total']}
        foot={
          <tr>
            <td colSpan={2}>All countries</td>
            <Cells of={figures} currency={currency} />
          </tr>
        }
        rows={byCountry}
        sorts={sorts}
      >
        {(one) => (
          <tr key={`${one.countryCode} ${one.taxRate} ${one.category}`}>
            <td>{one.country ?? 'No country'}</td>
            <td className="number">{one.taxRate} %</td>
            <Cells of={one} currency={currency} />
          </tr>
        )}
      </Table>
    </Card>
  )
}

const sorts: Sorts<Country> = {
  Country: ({ country }) => [country ?? ''],
  Rate: ({ taxRate }) => [taxRate],
  Invoices: ({ invoiceCount }) => [invoiceCount],
  Net: ({ subtotal }) => [subtotal],
  Tax: ({ tax }) => [tax],
  Total: ({ totalWithTax }) => [totalWithTax],
}

function Cells({ of, currency }: { of: Line; currency: string }) {
  const cells = {
    Invoices: of.invoiceCount,
    Net: <Figure minor={of.subtotal} currency={currency} />,
    Tax: <Figure minor={of.tax} currency={currency} />,
    Total: <Figure minor={of.totalWithTax} currency={currency} />,
  }
  return Object.entries(cells).map(([name, figure]) => (
    <td key={name} className="number" data-name={name}>
      {figure}
    </td>
  ))
}

export function Figures() {
  const found = useLoaded<Answer>(path, { everyMs: 15_000, isAbout: anyInvoice })
  return (
    <Show from={found}>
      {({ data }) =>
        data.currencies.length === 0 ? (
          <p className="quiet">Nothing settled yet: taxes count once an invoice is settled.</p>
        ) : (
          data.currencies.map((figures) => <Taxes key={figures.currency} figures={figures} />)
        )
      }
    </Show>
  )
}

function Taxes({ figures: { currency, tax, byCountry } }: { figures: Currency }) {
  const taxed = byCountry.filter((one) => one.tax > 0).toSorted((a, b) => b.tax - a.tax)
  const most = taxed[0]?.tax ?? 0
  return (
    <section className="currency" aria-label={`Tax in ${currency}`}>
      <p className="total">
        <span>{currency}</span>
        <strong>
          <Figure minor={tax} currency={currency} />
        </strong>
      </p>
      {taxed.length === 0 && <p className="quiet">No tax on settled invoices.</p>}
      <Bars
        bars={taxed.map((one) => ({
          key: `${one.countryCode} ${one.taxRate} ${one.category}`,
          name: `${one.country}, ${one.taxRate} %`,
          minor: one.tax,
          currency,
          value: one.tax,
          most,
        }))}
      />
    </section>
  )
}
