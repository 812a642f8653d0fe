/** XML as text; missing parts are empty. Callers' texts have been through `clean`. */

type Attributes = Readonly<Record<string, string>>

/** Empty if all parts are empty. */
export function group(name: string, ...parts: readonly string[]): string {
  const inner = parts.join('')
  return inner === '' ? '' : `<${name}>${inner}</${name}>`
}

export function leaf(
  name: string,
  text: string | null | undefined,
  attributes: Attributes = {},
): string {
  if (text === null || text === undefined) return ''
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return `<${name}${written.join('')}>${escaped(text)}</${name}>`
}

/** The empty prefix is the default namespace. */
export function xmlDocument(
  root: string,
  namespaces: Attributes,
  ...parts: readonly string[]
): string {
  const declared = Object.entries(namespaces).map(
    ([prefix, uri]) => ` xmlns${prefix && `:${prefix}`}="${uri}"`,
  )
  const opening = `<${root}${declared.join('')}>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${opening}${parts.join('')}</${root}>\n`
}

const escapes: Attributes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? '')
}
