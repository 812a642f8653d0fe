import { type FormEvent, useState } from 'react'
import { call, useLoaded } from './api.ts'
import { chainName, PaymentLink } from './chain-links.tsx'
import { short, when } from './format.ts'
import { Empty, Page, Pager, Show, Status, Table, useAction } from './parts.tsx'

type Transfer = {
  readonly id: string
  readonly chain: string
  readonly txHash: string
  readonly from: string
  readonly amount: string
  readonly status: string
  readonly blockTime: string
}
type Found = {
  readonly data: readonly Transfer[]
  readonly total: number
  readonly hasMore: boolean
}

const path = '/api/transfers?status=unmatched'
const limit = 20

/** The link to the unmatched transfers of all accounts, shown only to keys that may see them. */
export function TransfersLink({ current }: { current: boolean }) {
  const { data } = useLoaded<Found>(`${path}&limit=1`)
  if (!data) return null
  return (
    <a href="#/transfers" aria-current={current ? 'page' : undefined}>
      Unmatched transfers
    </a>
  )
}

export function Transfers() {
  const [page, setPage] = useState(1)
  const found = useLoaded<Found>(`${path}&limit=${limit}&page=${page}`, {
    everyMs: 10_000,
  })
  const { busy, refusal, run } = useAction()
  const assign = (id: string, invoiceId: string) =>
    run(async () => {
      await call('POST', `/api/transfers/${id}/assign`, { invoiceId })
      found.reload()
    })
  return (
    <Page title="Unmatched transfers">
      {refusal}
      <Show from={found}>
        {({ data, total, hasMore }) =>
          total === 0 ? (
            <Empty>Every transfer has its invoice.</Empty>
          ) : (
            <>
              <Table
                label="Unmatched transfers"
                head={['Amount', 'From', 'Transaction', 'State', 'Assign']}
              >
                {data.map((one) => (
                  <tr key={one.id}>
                    <td className="number">
                      {one.amount} USDC
                      <p className="quiet">on {chainName(one.chain)}</p>
                    </td>
                    <td>
                      <code title={one.from}>{short(one.from)}</code>
                    </td>
                    <td>
                      <PaymentLink chain={one.chain} txHash={one.txHash} />
                      <p className="quiet">{when(one.blockTime)}</p>
                    </td>
                    <td>
                      <Status of={one.status} />
                    </td>
                    <td>
                      <Assign busy={busy} onAssign={(invoiceId) => assign(one.id, invoiceId)} />
                    </td>
                  </tr>
                ))}
              </Table>
              <Pager
                back={page > 1 ? () => setPage(page - 1) : null}
                onward={hasMore ? () => setPage(page + 1) : null}
              />
            </>
          )
        }
      </Show>
    </Page>
  )
}

function Assign({ busy, onAssign }: { busy: boolean; onAssign: (invoiceId: string) => void }) {
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    onAssign(`${new FormData(event.currentTarget).get('invoiceId')}`.trim())
  }
  return (
    <form className="actions" onSubmit={submit}>
      <input name="invoiceId" aria-label="Invoice id" placeholder="Invoice id" required />
      <button type="submit" disabled={busy}>
        Assign
      </button>
    </form>
  )
}
