import { type Rate, toAmount, usdcScale } from '../domain/money/money.ts'
import type { Network } from '../domain/network.ts'

/** How documents for people write values: in English, in UTC. */

export type Fact = { readonly label: string; readonly value: string }

export function knownFacts(
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

/** An amount with its currency: `1,234.50 EUR`. */
export function money(units: bigint, scale: number, currency: string): string {
  return amount(toAmount(units, scale), currency)
}

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

/** How the remaining payment of a partly paid invoice is recognised at a shared address. */
export function referenceHint(chain: Network): string {
  return chain === 'solana'
    ? 'The remaining payment is recognised by the reference. The QR code and the link on the payment page include it; any other transfer must have it as its memo.'
    : 'The remaining payment is recognised only by the reference, sent with the transfer. If your wallet cannot attach it, ask the seller before you pay.'
}

export const stillPayable =
  'The due date has passed. The invoice can still be paid, and will be marked as late.'

export const paidThroughProxy =
  'This purchase is paid by x402 through the proxy; no other payment is recognised.'

export const recordedOnly = 'VAT is only recorded: the price is paid without it.'

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
