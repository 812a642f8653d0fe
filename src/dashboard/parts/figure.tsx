import { figureOf } from '../format.ts'

/** An amount on a card or in a list; its tooltip is the exact one. In a column the points align. */
export function Figure({ minor, currency }: { minor: number | bigint; currency: string }) {
  const { shown, exact } = figureOf(minor, currency)
  return (
    <span className={shown.includes('.') ? 'figure' : 'figure whole'} title={exact}>
      <span className="digits">{shown}</span> <span className="unit">{currency}</span>
    </span>
  )
}
