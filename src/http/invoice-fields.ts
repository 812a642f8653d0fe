import { invalidField } from '../domain/error.ts'
import { parseInstant } from '../domain/instant.ts'
import { type InvoiceChain, invoiceChains, isAddress } from '../domain/network.ts'
import type { Body } from './json.ts'

/** Fields that all invoice families read the same way. Each refuses with `invalid_request` naming the field. */

export function chainOf(chain: string | undefined): InvoiceChain {
  if (chain === undefined) return 'base'
  const found = invoiceChains.find((known) => known === chain)
  if (!found) throw invalidField('chain', `must be one of ${invoiceChains.join(', ')}`)
  return found
}

/** `taxCountry` and `country` mean the same; upper-cased, not yet known to have rates. */
export function countryOf(value: { taxCountry?: string; country?: string }): string | null {
  const taxCountry = value.taxCountry?.toUpperCase()
  const country = value.country?.toUpperCase()
  if (taxCountry !== undefined && country !== undefined && taxCountry !== country) {
    throw invalidField('taxCountry', 'differs from country, which means the same')
  }
  return taxCountry ?? country ?? null
}

/** A due date, normalised to UTC with milliseconds. */
export function dueAtOf(dueAt: string | undefined, now: Date): string | null {
  if (dueAt === undefined) return null
  const instant = parseInstant(dueAt)
  if (!instant)
    throw invalidField('dueAt', 'must be an ISO 8601 date or timestamp with Z or an offset')
  if (instant <= now) throw invalidField('dueAt', 'must lie in the future')
  return instant.toISOString()
}

export function payerOf(payer: string | undefined, chain: InvoiceChain): string | null {
  if (payer === undefined) return null
  if (!isAddress(chain, payer)) throw invalidField('payer', `must be an address on ${chain}`)
  return chain === 'solana' ? payer : payer.toLowerCase()
}

const maxMetadataBytes = 4_096

/** The caller's object as its own JSON text. */
export function metadataOf(body: Body): string | null {
  const source = body.source('metadata')
  if (source === undefined) return null
  if (Buffer.byteLength(source) > maxMetadataBytes)
    throw invalidField('metadata', 'must not be larger than 4 KiB')
  return source
}
