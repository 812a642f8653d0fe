/** What only the text of JSON says: how its values were written. */

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const colon = 0x3a
const comma = 0x2c

/** The exact text of a member of an object that `readJson` has read, if it has one. */
export function memberSource(text: string, key: string): string | undefined {
  let depth = 0
  let start = -1
  let name = ''
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (depth === 1 && start < 0) name = text.slice(at, end + 1)
      at = end
    } else if (code === colon && depth === 1) {
      start = isNamed(name, key) ? at + 1 : text.length
    } else if (code === openBrace || code === openBracket) {
      depth++
    } else if (code === closeBrace || code === closeBracket || code === comma) {
      if (depth === 1 && start < text.length && start >= 0) return text.slice(start, at).trim()
      if (depth === 1) start = -1
      if (code !== comma) depth--
    }
  }
  return undefined
}

/** The exact texts of the items of an array that `readJson` has read. */
export function itemSources(text: string): readonly string[] {
  const items: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isComma = code === comma
    if (code === quote) {
      at = endOfString(text, at)
    } else if (code === openBrace || code === openBracket) {
      if (depth++ === 0) start = at + 1
    } else if (isComma || code === closeBrace || code === closeBracket) {
      if (depth === 1) items.push(text.slice(start, at).trim())
      if (depth === 1) start = at + 1
      if (!isComma) depth--
    }
  }
  return items
}

/** The colons outside of strings: one for each member, at all levels. */
export function colonsIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) count++
  }
  return count
}

function isNamed(source: string, key: string): boolean {
  return source.includes('\\') ? JSON.parse(source) === key : source.slice(1, -1) === key
}

/** The position of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}
