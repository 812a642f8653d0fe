/**
 * Filters and page are in the address, so that going back shows the same page: the cursors of all
 * pages so far, or the page's number.
 */
const cursorName = 'cursor'
const pageName = 'page'

export function cursorsIn(query: string): readonly string[] {
  return new URLSearchParams(query).getAll(cursorName)
}

export function atCursors(hash: string, cursors: readonly string[]): string {
  return changed(hash, (query) => {
    query.delete(cursorName)
    for (const cursor of cursors) query.append(cursorName, cursor)
  })
}

export function pageIn(query: string): number {
  return Number(new URLSearchParams(query).get(pageName) ?? 1)
}

export function atPage(hash: string, page: number): string {
  return changed(hash, (query) => {
    if (page > 1) query.set(pageName, `${page}`)
    else query.delete(pageName)
  })
}

/** The first page with another filter (none if `value` is empty). */
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
