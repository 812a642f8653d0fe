/**
 * The seconds that a `Retry-After` asks for (RFC 9110, 10.2.3): digits, whose fraction rounds up,
 * or an HTTP-date. Null where it is absent or says anything else.
 */
export function retryAfterSeconds(value: string | null, now: Date): number | null {
  if (value === null) return null
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Math.ceil(Number(value))
  if (!httpDate.test(value)) return null
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - now.getTime()) / 1_000))
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
