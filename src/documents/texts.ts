export type Fact = { readonly label: string; readonly value: string }

export function knownFacts(
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

/** Of a term: a text, or a link, or an address or hash. */
export type Line = { readonly text: string; readonly href?: string; readonly isCode?: true }

export type Term = { readonly label: string; readonly lines: readonly Line[] }

export function knownTerms(
  terms: readonly (readonly [label: string, value: string | readonly Line[] | null | undefined])[],
): readonly Term[] {
  return terms.flatMap(([label, value]) => {
    const lines = typeof value === 'string' ? [{ text: value }] : value
    return lines?.length ? [{ label, lines }] : []
  })
}

/** An address or hash, and where it is shown. */
export function code(text: string | null | undefined, href?: string): readonly Line[] {
  return text ? [{ text, isCode: true, ...(href && { href }) }] : []
}

// Control and format characters can hide or reverse text, so that a document differs from its data;
// XML cannot represent some of them. Joiners, which shape Arabic and Indic words, are kept.
const invisible = /[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]/gu
const shaping = new Set(['\n', '\u200c', '\u200d'])

/** A caller's text without invisible characters; line breaks stay. */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(invisible, (mark) => (shaping.has(mark) ? mark : ''))
    .trim()
}

export function lines(text: string | null): readonly string[] {
  return clean(text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
