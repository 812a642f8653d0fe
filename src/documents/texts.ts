import { type Rate, toAmount, usdcScale } from '../domain/money/money.ts'
import type { InvoiceChain } from '../domain/network.ts'

/** How values are written on documents for people: in English, in UTC. */

/** An amount with its currency: `1,234.50 EUR`. */
export function money(units: bigint, scale: number, currency: string): string {
  return amount(toAmount(units, scale), currency)
}

/** A decimal with its currency: `1,234.50 EUR`. */
export function amount(decimal: string, currency: string): string {
  const [whole = '', ...fraction] = decimal.split('.')
  return `${[whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')} ${currency}`
}

/** An amount of USDC base units: `14.875 USDC`. */
export function usdc(usdcBase: bigint): string {
  return money(usdcBase, usdcScale, 'USDC')
}

/** A rate in per cent: `19 %`. */
export function percent(rateBasisPoints: number): string {
  return `${toAmount(BigInt(rateBasisPoints), 2).replace(/\.?0+$/, '')}\u00a0%`
}

/** The rate at which an amount was converted: `1 EUR = 1.08 USDC, ECB, 1 May 2026`. */
export function exchangeRate({ rate, source, asOf }: Rate, currency: string): string {
  return `1 ${currency} = ${rate} USDC, ${clean(source)}, ${day(asOf)}`
}

/** How the rest of an invoice is recognised of which a part was paid at a shared address. */
export function referenceHint(chain: InvoiceChain): string {
  return chain === 'solana'
    ? 'What is left is recognised by the reference. The code and the link on the payment page carry it; any other transfer must have it as its memo.'
    : 'What is left is recognised only by the reference, sent along with the transfer. If your wallet cannot attach it, ask the seller before you pay.'
}

/** The note on an invoice that has expired. */
export const stillTaken = 'The due date has passed: a payment is still taken, and marked as late.'

/** The note on a purchase through the proxy that is not paid yet. */
export const paidThroughProxy =
  'A purchase is paid by x402 through the proxy: no other payment of it is recognised.'

/** The note about the tax on a purchase through the proxy. */
export const recordedOnly = 'The VAT is recorded only: what is paid is the price without it.'

const months =
  'January February March April May June July August September October November December'
const monthNames = months.split(' ')

/** The UTC day of an ISO 8601 instant: `1 May 2026`. */
export function day(instant: string): string {
  const [year, month, date] = instant.slice(0, 10).split('-')
  return `${Number(date)} ${monthNames[Number(month) - 1]} ${year}`
}

/** The UTC minute of an ISO 8601 instant: `1 May 2026, 12:00 UTC`. */
export function moment(instant: string): string {
  return `${day(instant)}, ${instant.slice(11, 16)} UTC`
}

// Control and format characters. They can hide or reverse text, so that a document says something
// other than its data. Joiners, which shape Arabic and Indic words, and line breaks are kept. Code
// points that are no characters are not shown either, and two of them XML cannot represent.
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

/** The non-empty lines of a caller's text, cleaned and trimmed. */
export function lines(text: string | null): readonly string[] {
  return clean(text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
