import { useLoaded } from './api.ts'
import { InvoiceTable, type List } from './invoices.tsx'
import { Empty, Page, Show } from './parts.tsx'
import { Figures } from './tax-summary.tsx'

const open = ['draft', 'sent', 'paid'] as const

/** Where the account stands: what is open, what was settled, what came last. */
export function Overview() {
  const latest = useLoaded<List>('/api/invoices?limit=5', 10_000)
  return (
    <Page title="Overview">
      <div className="tiles">
        {open.map((status) => (
          <Count key={status} status={status} />
        ))}
      </div>
      <h2>Settled</h2>
      <Figures />
      <h2>Latest invoices</h2>
      <Show from={latest}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              No invoices yet. <a href="#/invoices/new">Make the first one</a>
            </Empty>
          ) : (
            <InvoiceTable invoices={data} />
          )
        }
      </Show>
    </Page>
  )
}

const names = { draft: 'Drafts', sent: 'Waiting for payment', paid: 'Being confirmed' }

function Count({ status }: { status: (typeof open)[number] }) {
  const found = useLoaded<List>(`/api/invoices?limit=1&status=${status}`)
  return (
    <section className="tile" aria-label={names[status]}>
      <p>{names[status]}</p>
      <strong>{found.data?.total ?? '–'}</strong>
    </section>
  )
}
