import type { TaxCategory } from '../../domain/invoices/lines.ts'
import { download } from '../api.ts'
import { taxText } from '../format.ts'
import { anyInvoice } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { Bars } from '../parts/charts.tsx'
import { PeriodChoice } from '../parts/choices.tsx'
import { Figure } from '../parts/figure.tsx'
import { Table } from '../parts/lists.tsx'
import { Card, Empty, LinkButton, Page, Show } from '../parts/parts.tsx'
import { periodIn } from '../periods.ts'
import type { Sorts } from '../sorting.ts'

type Amounts = { readonly subtotal: number; readonly tax: number; readonly totalWithTax: number }
/** Of sales, of what was credited, and the difference. */
type Sales = Amounts & {
  readonly invoiceCount: number
  readonly credits: Amounts & { readonly creditNoteCount: number }
  readonly net: Amounts
}
type Country = Sales & {
  readonly countryCode: string | null
  readonly country: string | null
  readonly taxRate: number
  readonly category: TaxCategory
}
type Currency = Sales & { readonly currency: string; readonly byCountry: readonly Country[] }
type Sums = { readonly currencies: readonly Currency[] }
type Answer = { readonly data: Sums & { readonly purchases: Sums } }

const path = '/api/v1/dashboard/tax-summary'

export function TaxSummary({ query }: { query: string }) {
  const { period, asked } = periodIn(query)
  const found = useLoaded<Answer>(path + asked, { everyMs: 15_000, isAbout: anyInvoice })
  const { busy, refusal, run } = useAction()
  const save = (from: string, name: string) => () =>
    run(() => download(from + asked, `${[name, period].filter(Boolean).join('-')}.csv`))
  return (
    <Page
      title="Tax summary"
      action={
        <p className="actions">
          <PeriodChoice query={query} otherwise="All time" />
          <button type="button" disabled={busy} onClick={save(path, 'tax-summary')}>
            Download CSV
          </button>
          <button type="button" disabled={busy} onClick={save('/api/books', 'journal')}>
            Download journal
          </button>
        </p>
      }
    >
      {refusal}
      <Show from={found}>
        {({ data: { currencies, purchases } }) => (
          <>
            {currencies.length === 0 && (
              <Empty
                title={period ? `Nothing settled in ${period}` : 'Nothing settled yet'}
                action={<LinkButton href="#/invoices">See the open invoices</LinkButton>}
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
  const { currency, byCountry, credits, net } = figures
  const isCredited = credits.creditNoteCount > 0
  return (
    <Card title={title}>
      {isCredited && <p className="quiet">Rows are sales less credit notes.</p>}
      <Table
        label={`Tax: ${title}`}
        head={['Country', 'Rate', 'Invoices', 'Net', 'Tax', 'Total']}
        foot={
          <>
            <Sum
              name={isCredited ? 'Sales' : 'All countries'}
              of={figures}
              count={figures.invoiceCount}
              currency={currency}
            />
            {isCredited && (
              <>
                <Sum name="Credit notes" of={negated(credits)} currency={currency} />
                <Sum name="Sales less credit notes" of={net} currency={currency} />
              </>
            )}
          </>
        }
        rows={byCountry}
        sorts={sorts}
      >
        {(one) => (
          <tr key={keyOf(one)}>
            <td>{one.country ?? 'No country'}</td>
            <td className="number">{taxText(one.category, one.taxRate)}</td>
            <Cells of={one.net} count={one.invoiceCount} currency={currency} />
          </tr>
        )}
      </Table>
    </Card>
  )
}

function keyOf({ countryCode, taxRate, category }: Country): string {
  return `${countryCode} ${taxRate} ${category}`
}

function negated({ subtotal, tax, totalWithTax }: Amounts): Amounts {
  return { subtotal: -subtotal, tax: -tax, totalWithTax: -totalWithTax }
}

const sorts: Sorts<Country> = {
  Country: ({ country }) => [country ?? ''],
  Rate: ({ taxRate, category }) => [taxRate, category],
  Invoices: ({ invoiceCount }) => [invoiceCount],
  Net: ({ net }) => [net.subtotal],
  Tax: ({ net }) => [net.tax],
  Total: ({ net }) => [net.totalWithTax],
}

type CellsProps = { of: Amounts; count?: number; currency: string }

function Sum({ name, ...cells }: CellsProps & { name: string }) {
  return (
    <tr>
      <td colSpan={2}>{name}</td>
      <Cells {...cells} />
    </tr>
  )
}

function Cells({ of, count, currency }: CellsProps) {
  const cells = {
    Invoices: count,
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

export function Figures({ asked }: { asked: string }) {
  const found = useLoaded<Answer>(path + asked, { everyMs: 15_000, isAbout: anyInvoice })
  return (
    <Show from={found}>
      {({ data }) =>
        data.currencies.length === 0 ? (
          <p className="quiet">Nothing settled: taxes count once an invoice is settled.</p>
        ) : (
          data.currencies.map((figures) => <Taxes key={figures.currency} figures={figures} />)
        )
      }
    </Show>
  )
}

function Taxes({ figures: { currency, net, byCountry } }: { figures: Currency }) {
  const taxed = byCountry.filter((one) => one.net.tax > 0).toSorted((a, b) => b.net.tax - a.net.tax)
  const most = taxed[0]?.net.tax ?? 0
  return (
    <section className="currency" aria-label={`Tax in ${currency}`}>
      <p className="total">
        <span>{currency}</span>
        <strong>
          <Figure minor={net.tax} currency={currency} />
        </strong>
      </p>
      {taxed.length === 0 && <p className="quiet">No tax on settled invoices.</p>}
      <Bars
        bars={taxed.map((one) => ({
          key: keyOf(one),
          name: `${one.country}, ${one.taxRate} %`,
          minor: one.net.tax,
          currency,
          value: one.net.tax,
          most,
        }))}
      />
    </section>
  )
}
