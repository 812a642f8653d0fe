import { type FormEvent, useState } from 'react'
import { english } from '../../documents/words/english.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { fromDecimal, usdcScale } from '../../domain/money/money.ts'
import type { Shown } from '../../domain/settlement/transfer-list.ts'
import { call } from '../api.ts'
import { type CreditTarget, targetText } from '../credit-target.ts'
import { headline, when } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { chainName, PaymentLink, Sender } from '../parts/chain-links.tsx'
import { type Listed, Pager, pagingOf, Table } from '../parts/lists.tsx'
import { Empty, Page, Show, Status } from '../parts/parts.tsx'
import type { Sorts } from '../sorting.ts'
import type { List } from './invoices.tsx'

type Transfer = Shown & { readonly id: string }
type Found = Listed<Transfer> & { readonly total: number }

const sorts: Sorts<Transfer> = {
  Amount: ({ amount }) => [fromDecimal(amount, usdcScale)],
  Transaction: ({ blockTime }) => [blockTime],
  Status: ({ status }) => [status],
}

const path = '/api/transfers?status=unmatched'

/** Shown only to keys that may see the transfers of all accounts. */
export function TransfersLink({ current }: { current: boolean }) {
  const { data } = useLoaded<Found>(`${path}&limit=1`)
  if (!data) return null
  return (
    <a href="#/transfers" aria-current={current ? 'page' : undefined}>
      Unmatched transfers
    </a>
  )
}

export function Transfers({ query }: { query: string }) {
  const { parameter, pagerProps } = pagingOf(query)
  const found = useLoaded<Found>(`${path}&limit=20${parameter}`, { everyMs: 10_000 })
  const [credited, setCredited] = useState('')
  return (
    <Page title="Unmatched transfers">
      <p role="status">{credited}</p>
      <Show from={found}>
        {({ data, total, nextCursor }) =>
          total === 0 ? (
            <Empty title="No unmatched transfers">
              Every transfer that has come belongs to an invoice. There is nothing to do.
            </Empty>
          ) : (
            <>
              <Table
                label="Unmatched transfers"
                head={['Amount', 'Transaction', 'Status', 'Credit to']}
                rows={data}
                sorts={sorts}
              >
                {(one) => (
                  <tr key={one.id}>
                    <td className="number">
                      {english.amount(one.amount, 'USDC')}
                      <p className="quiet">on {chainName(one.chain)}</p>
                    </td>
                    <td>
                      <PaymentLink chain={one.chain} txHash={one.txHash} />
                      <p className="quiet">
                        from <Sender from={one.from} />
                      </p>
                      <p className="quiet">{when(one.blockTime)}</p>
                    </td>
                    <td>
                      <Status of={one.status} />
                    </td>
                    <td className="line">
                      <Credit
                        transfer={one}
                        onCredited={(invoiceNumber) => {
                          setCredited(
                            `${english.amount(one.amount, 'USDC')} credited to ${invoiceNumber}.`,
                          )
                          found.reload()
                        }}
                      />
                    </td>
                  </tr>
                )}
              </Table>
              <Pager {...pagerProps(nextCursor)} />
            </>
          )
        }
      </Show>
    </Page>
  )
}

/** Credits a transfer to an invoice. This is final, so the form first only looks the invoice up. */
function Credit({
  transfer,
  onCredited,
}: {
  transfer: Transfer
  onCredited: (invoiceNumber: string) => void
}) {
  const { busy, refusal, run } = useAction()
  const [target, setTarget] = useState<CreditTarget | null>(null)
  function lookUp(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const named = namedIn(form)
    setTarget(null)
    void run(async () => {
      const found = await find(named)
      // Something else may have been typed in the meantime.
      if (namedIn(form) === named) setTarget(found)
    })
  }
  const credit = ({ id, invoiceNumber }: CreditTarget) =>
    run(async () => {
      await call('POST', `/api/transfers/${transfer.id}/assign`, { invoiceId: id })
      onCredited(invoiceNumber)
    })
  return (
    <>
      <form className="actions" onSubmit={lookUp}>
        <input
          name="invoice"
          aria-label="Invoice id or number"
          placeholder="Invoice id or number"
          required
          onChange={() => setTarget(null)}
        />
        <button type="submit" disabled={busy}>
          Look up
        </button>
      </form>
      {target && (
        <div role="status" className="found">
          <p>
            <a href={`/pay/${target.id}`} target="_blank" rel="noreferrer">
              {target.invoiceNumber}
            </a>
            {targetText(target, transfer.amount)}
          </p>
          {target.description && <p className="quiet">{headline(target.description)}</p>}
          {target.takesPayment && (
            <button type="button" className="grave" disabled={busy} onClick={() => credit(target)}>
              Credit {english.amount(transfer.amount, 'USDC')} for good
            </button>
          )}
        </div>
      )}
      {refusal}
    </>
  )
}

function namedIn(form: HTMLFormElement): string {
  return `${new FormData(form).get('invoice')}`.trim()
}

/** The invoice with this id, of any account, or with this number, of the own account. */
async function find(named: string): Promise<CreditTarget> {
  const isOwn = /^inv-/i.test(named)
  const id = isOwn ? await idOf(named) : named.toLowerCase()
  return { ...(await call<Payable>('GET', `/pay/${encodeURIComponent(id)}/status`)), id, isOwn }
}

async function idOf(invoiceNumber: string): Promise<string> {
  const search = new URLSearchParams({ search: invoiceNumber, limit: '100' })
  const { data } = await call<List>('GET', `/api/invoices?${search}`)
  const found = data.find((one) => one.invoiceNumber === invoiceNumber.toUpperCase())
  if (!found)
    throw new Error(
      'Your account has no invoice with this number. Use the id for invoices of other accounts',
    )
  return found.id
}
