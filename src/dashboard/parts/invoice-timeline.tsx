import { english } from '../../documents/words/english.ts'
import type { Timeline } from '../../domain/invoices/timeline.ts'
import { when } from '../format.ts'
import { milestonesOf } from '../milestones.ts'
import { PaymentLink, Sender } from './chain-links.tsx'
import { Table } from './lists.tsx'
import { Status } from './parts.tsx'

export function Steps({ timeline, chain }: { timeline: Timeline; chain: string }) {
  return (
    <ol className="timeline">
      {milestonesOf(timeline.data).map(({ sequence, text, createdAt, txHash }) => (
        <li key={sequence}>
          <p>{text}</p>
          <p className="quiet">
            {when(createdAt)}
            {txHash && (
              <>
                {' · '}
                <PaymentLink chain={chain} txHash={txHash} />
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
  )
}

export function Transfers({
  transfers,
  chain,
}: {
  transfers: Timeline['transfers']
  chain: string
}) {
  return (
    <Table
      label="Credited transfers"
      head={['Transaction', 'Amount', 'From', 'Status', 'Matched by', 'Block']}
      rows={transfers}
    >
      {(one) => (
        <tr key={one.txHash + one.amount}>
          <td>
            <PaymentLink chain={chain} txHash={one.txHash} />
          </td>
          <td className="number">{english.amount(one.amount, 'USDC')}</td>
          <td>
            <Sender from={one.from} />
          </td>
          <td>
            <Status of={one.confirmed ? 'confirmed' : 'seen'} />
          </td>
          <td>{one.matchedBy}</td>
          <td className="number">{one.blockNumber}</td>
        </tr>
      )}
    </Table>
  )
}
