/** Text as people read it, cut to `maxLength` characters; null for none. */
export function readable(text: string, maxLength: number): string | null {
  if (text === '') return null
  const plain = text.toWellFormed().replace(unreadable, ' ').trim()
  return plain === '' ? null : [...plain].slice(0, maxLength).join('').trim()
}

/** Headers come as Latin-1, byte for byte, whatever they were written in; who cannot send more than that writes `%C5%81`. */
export function textOf(header: string | null): string {
  if (header === null) return ''
  try {
    return decodeURIComponent(utf8.decode(Buffer.from(header, 'latin1')))
  } catch {
    return utf8Of(header)
  }
}

function utf8Of(text: string): string {
  try {
    return utf8.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

// Controls, and what turns the direction of the text around it.
const unreadable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu
