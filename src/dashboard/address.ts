/**
 * A list keeps its filters and its page in the address, so that going back shows the same page. The
 * address has the cursors of all pages up to the shown one; without cursors, the page's number.
 */
const cursorName = 'cursor'
const pageName = 'page'

/** The cursors of the pages up to the shown one; none on the first page. */
export function cursorsIn(query: string): readonly string[] {
  return new URLSearchParams(query).getAll(cursorName)
}

/** The address `hash` at the last of these pages. */
export function atCursors(hash: string, cursors: readonly string[]): string {
  return changed(hash, (query) => {
    query.delete(cursorName)
    for (const cursor of cursors) query.append(cursorName, cursor)
  })
}

/** The number of the shown page of a list without cursors. */
export function pageIn(query: string): number {
  return Number(new URLSearchParams(query).get(pageName) ?? 1)
}

/** The address `hash` at this page of its list. */
export function atPage(hash: string, page: number): string {
  return changed(hash, (query) => {
    if (page > 1) query.set(pageName, `${page}`)
    else query.delete(pageName)
  })
}

/** The address `hash` at its list's first page, with another filter (none if `value` is empty). */
export function filtered(hash: string, name: string, value: string): string {
  return changed(hash, (query) => {
    query.delete(cursorName)
    query.delete(pageName)
    if (value) query.set(name, value)
    else query.delete(name)
  })
}

function changed(hash: string, change: (query: URLSearchParams) => void): string {
  const [path = '', text] = hash.split('?')
  const query = new URLSearchParams(text)
  change(query)
  return query.size > 0 ? `${path}?${query}` : path
}
