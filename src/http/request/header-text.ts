import { unprintable } from '../../domain/unprintable.ts'

/**
 * The text without control characters and marks of direction, cut to `maxLength` characters; null
 * if nothing is left.
 */
export function readable(text: string, maxLength: number): string | null {
  if (text === '') return null
  const plain = text.toWellFormed().replace(unprintable, ' ').trim()
  return plain === '' ? null : [...plain].slice(0, maxLength).join('').trim()
}

/**
 * The text of a header. Headers arrive as Latin-1, byte for byte, whatever their encoding: UTF-8 is
 * decoded, and so are percent-escapes (`%C5%81`) of clients that can send only Latin-1.
 */
export function textOf(header: string | null): string {
  if (header === null) return ''
  try {
    return decodeURIComponent(utf8.decode(Buffer.from(header, 'latin1')))
  } catch {
    return utf8Of(header)
  }
}

/** The header as UTF-8; one that is not, as it arrived. */
export function utf8Of(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'))
  } catch {
    return header
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
