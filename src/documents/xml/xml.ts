/**
 * XML as text. Missing parts are empty texts, so they leave no trace in the document. Texts that
 * callers gave have been through `clean`, which leaves nothing that XML cannot represent.
 */

type Attributes = Readonly<Record<string, string>>

/** An element around its parts; an empty text if all parts are empty. */
export function group(name: string, ...parts: readonly string[]): string {
  const inner = parts.join('')
  return inner === '' ? '' : `<${name}>${inner}</${name}>`
}

/** An element with a text; an empty text for null. */
export function leaf(name: string, text: string | null, attributes: Attributes = {}): string {
  if (text === null) return ''
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return `<${name}${written.join('')}>${escaped(text)}</${name}>`
}

/**
 * A whole document: its root element, the namespaces by prefix (the empty prefix is the default),
 * and its parts.
 */
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
