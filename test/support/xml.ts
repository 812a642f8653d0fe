/** No comments, no CDATA. */
export type Element = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

const token = /<\?[^>]*>|<(\/?)([\w:]+)((?:\s+[\w:]+="[^"]*")*)\s*(\/?)>|([^<]+)/gy
const attribute = /([\w:]+)="([^"]*)"/g
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Throws if the document is not well-formed. */
export function parseXml(text: string): Element {
  type Open = {
    name: string
    attributes: Record<string, string>
    children: Element[]
    text: string
  }
  const root: Open = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, slash, name, attributes = '', isEmpty, words] = match
    const parent = open.at(-1) ?? root
    end += whole.length
    if (words !== undefined) parent.text += decode(words)
    if (name === undefined) continue
    if (slash) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`)
      continue
    }
    const pairs = Array.from(attributes.matchAll(attribute), ([, key = '', value = '']) => [
      key,
      decode(value),
    ])
    const element: Open = { name, attributes: Object.fromEntries(pairs), children: [], text: '' }
    parent.children.push(element)
    if (!isEmpty) open.push(element)
  }
  const [first, ...others] = root.children
  if (end !== text.length || open.length > 1 || !first || others.length > 0)
    throw new Error(`not well-formed at ${end}`)
  return first
}

export function textsAt(root: Element, ...path: readonly string[]): readonly string[] {
  const [name, ...rest] = path
  const found = root.children.filter((child) => child.name === name)
  return rest.length === 0
    ? found.map(({ text }) => text)
    : found.flatMap((child) => textsAt(child, ...rest))
}

function decode(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole)
}
