/** XML as text. What has nothing to say is an empty text, so parts that are missing leave no trace. */

type Attributes = Readonly<Record<string, string>>

/** An element around others; nothing when they are all nothing. */
export function group(name: string, ...parts: readonly string[]): string {
  const inner = parts.join('')
  return inner === '' ? '' : `<${name}>${inner}</${name}>`
}

/** An element with a text; nothing for null. */
export function leaf(name: string, text: string | null, attributes: Attributes = {}): string {
  if (text === null) return ''
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return `<${name}${written.join('')}>${escaped(text)}</${name}>`
}

/** A whole document: its root element, the namespaces by prefix (the empty one is the default) and its parts. */
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
  // Two code points that XML cannot hold even as a reference; the others have been refused on their way in.
  return text.replace(/[\ufffe\uffff]/g, '').replace(/[&<>"]/g, (mark) => escapes[mark] ?? '')
}
