import { unprintable } from '../../domain/unprintable.ts'

/** The text without control characters and marks of direction; null if nothing is left. */
export function readable(text: string, maxLength: number): string | null {
  if (text === '') return null
  const plain = text.toWellFormed().replace(unprintable, ' ').trim()
  return plain === '' ? null : [...plain].slice(0, maxLength).join('').trim()
}

/** The text of a header, which arrives as Latin-1. Decodes UTF-8 and percent-escapes. */
export function textOf(header: string | null): string {
  if (header === null) return ''
  try {
    return decodeURIComponent(utf8.decode(Buffer.from(header, 'latin1')))
  } catch {
    return utf8Of(header)
  }
}

/** The header decoded as UTF-8, or as it arrived. */
export function utf8Of(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'))
  } catch {
    return header
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
