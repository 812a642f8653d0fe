import { english } from '../../documents/words/english.ts'
import { short, when } from '../format.ts'
import { PaymentLink } from './chain-links.tsx'
import { Table } from './lists.tsx'
import { Status } from './parts.tsx'

export type Timeline = {
  readonly data: readonly {
    readonly sequence: number
    readonly type: string
    readonly createdAt: string
    readonly txHash: string | null
    readonly reason: string | null
  }[]
  readonly transfers: readonly {
    readonly amount: string
    readonly txHash: string
    readonly blockNumber: number
    readonly from: string
    readonly matchedBy: string
    readonly confirmed: boolean
  }[]
}

export function Steps({ steps, chain }: { steps: Timeline['data']; chain: string }) {
  return (
    <ol className="timeline">
      {steps.map(({ sequence, type, createdAt, txHash, reason }) => (
        <li key={sequence}>
          <p>
            {nameOf(type)}
            {reason && `: ${reason}`}
          </p>
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

/** `payment.credited` is `Payment credited`. */
function nameOf(type: string): string {
  const [subject = '', what = ''] = type.split('.')
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${what}`
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
      head={['Transaction', 'From', 'Matched by', 'Status', 'Block', 'Amount']}
    >
      {transfers.map((one) => (
        <tr key={one.txHash + one.amount}>
          <td>
            <PaymentLink chain={chain} txHash={one.txHash} />
          </td>
          <td>
            <code title={one.from}>{short(one.from)}</code>
          </td>
          <td>{one.matchedBy}</td>
          <td>
            <Status of={one.confirmed ? 'confirmed' : 'seen'} />
          </td>
          <td className="number">{one.blockNumber}</td>
          <td className="number">{english.amount(one.amount, 'USDC')}</td>
        </tr>
      ))}
    </Table>
  )
}
