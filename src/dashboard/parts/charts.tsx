import { useState } from 'react'
import { money } from '../format.ts'
import type { Sorts } from '../sorting.ts'
import { Figure } from './figure.tsx'
import { Table } from './lists.tsx'

/** `amount` is in USDC base units. */
export type Day = { readonly day: string; readonly amount: number; readonly invoiceCount: number }

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const height = 100
const step = 10
const barWidth = 7

/** Describes the day under the pointer; a table shows all. */
export function DayChart({ days: shown }: { days: readonly Day[] }) {
  const [pointedAt, setPointedAt] = useState<number | null>(null)
  const most = Math.max(1, ...shown.map(({ amount }) => amount))
  const pointed = pointedAt === null ? undefined : shown[pointedAt]
  return (
    <figure className="days">
      <figcaption className="quiet">
        {pointed ? `${days.format(new Date(pointed.day))}: ` : 'Most on one day: '}
        <Figure minor={pointed?.amount ?? (most > 1 ? most : 0)} currency="USDC" />
        {pointed && `, ${countOf(pointed.invoiceCount)}`}
      </figcaption>
      <svg
        viewBox={`0 0 ${shown.length * step} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerLeave={() => setPointedAt(null)}
      >
        {shown.map(({ day, amount }, place) => {
          const bar = amount > 0 ? Math.max(2, (amount / most) * height) : 0
          return (
            <g key={day} onPointerEnter={() => setPointedAt(place)}>
              <rect className="reach" x={place * step} width={step} height={height} />
              <rect
                className={place === pointedAt ? 'bar pointed' : 'bar'}
                x={place * step + (step - barWidth) / 2}
                y={height - bar}
                width={barWidth}
                height={bar}
              />
            </g>
          )
        })}
      </svg>
      <p className="axis" aria-hidden="true">
        <span>{nameOf(shown[0])}</span>
        <span>{nameOf(shown.at(-1))}</span>
      </p>
      <details>
        <summary>Show as a table</summary>
        <Table
          label="Days"
          head={['Day (UTC)', 'Invoices', 'Amount']}
          rows={shown.toReversed()}
          sorts={sorts}
          isNarrow
        >
          {({ day, amount, invoiceCount }) => (
            <tr key={day}>
              <td>{day}</td>
              <td className="number">{invoiceCount}</td>
              <td className="number">
                <Figure minor={amount} currency="USDC" />
              </td>
            </tr>
          )}
        </Table>
      </details>
    </figure>
  )
}

const sorts: Sorts<Day> = {
  'Day (UTC)': ({ day }) => [day],
  Invoices: ({ invoiceCount }) => [invoiceCount],
  Amount: ({ amount }) => [amount],
}

function nameOf(day: Day | undefined): string {
  return day ? days.format(new Date(day.day)) : ''
}

/** `1 invoice`, `2 invoices`. */
export function countOf(invoiceCount: number): string {
  return `${invoiceCount.toLocaleString('en-GB')} ${invoiceCount === 1 ? 'invoice' : 'invoices'}`
}

export type Bar = {
  readonly key: string
  readonly name: string
  /** Before the amount. */
  readonly share?: string
  readonly minor: number
  readonly currency: string
  readonly value: number
  readonly most: number
  readonly href?: string
}

export function Bars({ bars }: { bars: readonly Bar[] }) {
  return (
    <ul className="bars">
      {bars.map(({ key, name, share = '', minor, currency, value, most, href }) => (
        <li key={key}>
          <span className="cut" title={name} dir="auto">
            {href ? <a href={href}>{name}</a> : name}
          </span>
          <span className="number">
            {share}
            <Figure minor={minor} currency={currency} />
          </span>
          <progress
            max={most || 1}
            value={value}
            aria-label={`${name}: ${share}${money(minor, currency)}`}
          />
        </li>
      ))}
    </ul>
  )
}
