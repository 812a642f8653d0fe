import type { ReactNode } from 'react'
import type { BudgetRecord as Budget } from '../../domain/budgets/view.ts'
import { figureOf } from '../format.ts'
import { anyInvoice, partlyStreamed } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Bars, countOf, type Day, DayChart } from '../parts/charts.tsx'
import { PeriodChoice } from '../parts/choices.tsx'
import { Figure } from '../parts/figure.tsx'
import { Card, LinkButton, Page, Show } from '../parts/parts.tsx'
import { periodIn } from '../periods.ts'
import { pageOf, usedText } from './budgets.tsx'
import { InvoiceTable, type List, NoInvoices } from './invoices.tsx'
import { Figures } from './tax-summary.tsx'

type Answer = {
  readonly data: {
    readonly open: { readonly amount: number; readonly invoiceCount: number }
    readonly confirming: { readonly invoiceCount: number }
    readonly settledByDay: readonly Day[]
    readonly settled: { readonly amount: number; readonly invoiceCount: number }
    readonly credited: { readonly amount: number }
  }
}

const refresh = { everyMs: 15_000, isAbout: anyInvoice }
// The service caches these figures, so its answer after a change may be from before it.
const refreshFigures = { ...refresh, isPartlyStreamed: true } as const

export function Overview({ query }: { query: string }) {
  const { period, asked } = periodIn(query)
  const overview = useLoaded<Answer>(`/api/v1/dashboard/overview${asked}`, refreshFigures)
  const latest = useLoaded<List>('/api/invoices?limit=5', refresh)
  const create = (
    <p className="actions">
      <PeriodChoice query={query} otherwise="Last 30 days" />
      <LinkButton href="#/invoices/new" isPrimary>
        New invoice
      </LinkButton>
    </p>
  )
  return (
    <Page title="Overview" action={create}>
      <Show from={overview}>
        {({ data: { open, confirming, settledByDay, settled, credited } }) => (
          <>
            <div className="tiles">
              <Tile
                name="Open"
                figure={<Figure minor={open.amount} currency="USDC" />}
                note={`outstanding on ${countOf(open.invoiceCount)}`}
              />
              <Tile
                name={`Settled in ${period ?? '30 days'}`}
                figure={<Figure minor={settled.amount} currency="USDC" />}
                note={countOf(settled.invoiceCount) + creditedText(credited.amount)}
              />
              <Tile
                name="Being confirmed"
                figure={confirming.invoiceCount.toLocaleString('en-GB')}
                note="paid, not yet final on chain"
              />
            </div>
            <Card title="Settled by day (UTC)">
              <DayChart days={settledByDay} />
            </Card>
          </>
        )}
      </Show>
      <div className="cards">
        <Card title="Tax by country">
          <Figures asked={asked} />
        </Card>
        <Card title="Budgets of agents">
          <Use />
        </Card>
      </div>
      <h2>Latest invoices</h2>
      <Show from={latest}>
        {({ data }) => (data.length === 0 ? <NoInvoices /> : <InvoiceTable invoices={data} />)}
      </Show>
    </Page>
  )
}

function creditedText(usdcBase: number): string {
  return usdcBase > 0 ? `, ${figureOf(usdcBase, 'USDC').shown} USDC credited` : ''
}

function Tile({ name, figure, note }: { name: string; figure: ReactNode; note: string }) {
  return (
    <section className="tile" aria-label={name}>
      <p>{name}</p>
      <strong>{figure}</strong>
      <p>{note}</p>
    </section>
  )
}

function Use() {
  const found = useLoaded<{ readonly data: readonly Budget[]; readonly hasMore: boolean }>(
    '/api/budget?limit=6',
    { everyMs: 15_000, ...partlyStreamed('budgets') },
  )
  return (
    <Show from={found}>
      {({ data, hasMore }) =>
        data.length === 0 ? (
          <p className="quiet">
            No budgets yet. <a href="#/budgets">Set the first one</a>
          </p>
        ) : (
          <>
            <Bars
              bars={data.map((one) => ({
                key: one.agentId,
                name: one.agentId,
                share: `${usedText(one)} of `,
                minor: one.limit,
                currency: one.currency,
                value: one.spent + one.reserved,
                most: one.limit,
                href: pageOf(one.agentId),
              }))}
            />
            {hasMore && (
              <p className="more">
                <a href="#/budgets">All budgets</a>
              </p>
            )}
          </>
        )
      }
    </Show>
  )
}
