import type { ReactNode } from 'react'
import { atCursors, cursorsIn } from '../address.ts'

/** A table that scrolls on its own in a narrow window. */
export function Table({
  label,
  head,
  foot,
  folds,
  children,
}: {
  label: string
  head: readonly string[]
  foot?: ReactNode
  /**
   * In a narrow window each row becomes lines of two cells. A cell with a `data-name` is its own
   * line.
   */
  folds?: true
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={folds ? 'table folds' : 'table'} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" className={classOf(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </section>
  )
}

function classOf(column: string): string | undefined {
  if (numeric.has(column)) return 'number'
  return column === 'Created' ? 'minor' : undefined
}

const numeric = new Set(['Amount', 'Total', 'Net', 'Tax', 'Rate', 'Limit', 'Invoices', 'Block'])

export function pagingOf(query: string) {
  const cursors = cursorsIn(query)
  const last = cursors.at(-1)
  const goTo = (next: readonly string[]) => location.replace(atCursors(location.hash, next))
  return {
    isFirst: last === undefined,
    parameter: last === undefined ? '' : `&cursor=${encodeURIComponent(last)}`,
    pagerProps: (nextCursor: string | null) => ({
      back: last === undefined ? null : () => goTo(cursors.slice(0, -1)),
      onward: nextCursor ? () => goTo([...cursors, nextCursor]) : null,
    }),
  }
}

/** A button is disabled where `back` or `onward` is null. */
export function Pager({
  back,
  onward,
  names = ['Newer', 'Older'],
  children,
}: {
  back: (() => void) | null
  onward: (() => void) | null
  names?: readonly [back: string, onward: string]
  children?: ReactNode
}) {
  return (
    <p className="pager">
      <button type="button" disabled={!back} onClick={() => back?.()}>
        {names[0]}
      </button>
      {children}
      <button type="button" disabled={!onward} onClick={() => onward?.()}>
        {names[1]}
      </button>
    </p>
  )
}
