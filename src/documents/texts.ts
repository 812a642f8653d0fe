export type Fact = { readonly label: string; readonly value: string }

export function knownFacts(
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
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
