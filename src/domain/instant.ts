const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/

/**
 * The instant of an ISO 8601 text, in milliseconds, or null. A time needs `Z` or an offset; a bare
 * date is midnight UTC. The date must exist, which `new Date` does not check.
 */
export function parseInstant(text: string): Date | null {
  const parts = rfc3339.exec(text)
  if (!parts) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = parts
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  const inRange = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  const [offsetHours, offsetMinutes] =
    zone.length === 1 ? [0, 0] : zone.slice(1).split(':').map(Number)
  if (!exists || !inRange || (offsetHours ?? 0) > 23 || (offsetMinutes ?? 0) > 59) return null
  // Bun reads a fraction of ten digits or more without its leading zeros.
  const inMs = text.replace(/(\.\d{3})\d+/, '$1')
  const instant = new Date(inMs.replace(' ', 'T').toUpperCase())
  // PostgreSQL reads neither the year 0 nor one of five digits.
  const utcYear = instant.getUTCFullYear()
  return utcYear >= 1 && utcYear <= 9_999 ? instant : null
}

/** The UTC day of an instant, `2026-05-01`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

const dayMs = 86_400_000

/** Like `parseInstant`, but a bare date is the last millisecond of that day, UTC. */
export function parseDeadline(text: string): Date | null {
  const instant = parseInstant(text)
  const isBareDate = text.length === 'YYYY-MM-DD'.length
  return instant && isBareDate ? new Date(instant.getTime() + dayMs - 1) : instant
}
