import { type MouseEvent, type ReactNode, useState } from 'react'
import { atCursors, cursorsIn } from '../address.ts'
import { type Order, type Sorts, sorted } from '../sorting.ts'

/** A table that scrolls on its own in a narrow window. */
export function Table<Row>({
  label,
  head,
  rows,
  sorts = {},
  foot,
  isNarrow,
  children,
}: {
  label: string
  head: readonly string[]
  rows: readonly Row[]
  /** By name of the column: what its rows are sorted by, where a click on its head does. */
  sorts?: Sorts<Row>
  foot?: ReactNode
  /** Fits in a narrow window as it is. */
  isNarrow?: true
  /**
   * A `tr`. A click on it follows its first link, or its button of the class `opens`. In a narrow
   * window it becomes lines of two cells; a cell of the class `line`, or with a `data-name`, is a
   * line of its own.
   */
  children: (row: Row) => ReactNode
}) {
  const [order, setOrder] = useState<Order | null>(null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={isNarrow ? 'table' : 'table folds'} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <Head
                key={name}
                name={name}
                order={order}
                onSort={name in sorts ? setOrder : undefined}
              />
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link itself */}
        <tbody onClick={openRow}>{sorted(rows, sorts, order).map(children)}</tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </section>
  )
}

function Head(props: {
  name: string
  order: Order | null
  onSort: ((order: Order | null) => void) | undefined
}) {
  const { name, order, onSort } = props
  if (!onSort)
    return (
      <th scope="col" className={classOf(name)}>
        {name}
      </th>
    )
  const direction = order?.by === name ? order.direction : undefined
  const next = { none: 'ascending', ascending: 'descending', descending: null } as const
  const wanted = next[direction ?? 'none']
  return (
    <th scope="col" className={classOf(name)} aria-sort={direction ?? 'none'}>
      <button
        type="button"
        className="sort"
        title="Sorts the rows shown here"
        onClick={() => onSort(wanted && { by: name, direction: wanted })}
      >
        {name}
      </button>
    </th>
  )
}

/** A click that selects text, or is meant for something in the row, is left alone. */
function openRow({ target, ctrlKey, metaKey }: MouseEvent) {
  const isOwn = target instanceof Element && !target.closest('a, button, input, summary, details')
  if (!isOwn || !getSelection()?.isCollapsed) return
  const opener = target.closest('tr')?.querySelector<HTMLElement>('a[href^="#/"], button.opens')
  if (opener instanceof HTMLAnchorElement && (ctrlKey || metaKey)) window.open(opener.href)
  else opener?.click()
}

function classOf(column: string): string | undefined {
  if (numeric.has(column)) return 'number'
  if (column === 'Action') return 'act'
  return column === 'Created' ? 'minor' : undefined
}

const numeric = new Set(
  'Amount,Total,Net,Tax,Rate,Limit,Invoices,Block,Quantity,Unit price,Credited,Credit'.split(','),
)

/** A page of a list that is read by cursor. */
export type Listed<Row> = { readonly data: readonly Row[]; readonly nextCursor: string | null }

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
