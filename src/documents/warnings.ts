import type { Invoice, Party } from '../domain/invoice.ts'
import { looksValid } from './vat-id.ts'

/**
 * What a tax office might object to, as codes such as `buyer_vat_format`. An invoice is never refused for these: only its
 * parties can know better.
 */
export function warningsOf({ terms }: Invoice): readonly string[] {
  const { seller, buyer, tax } = terms
  const isTaxed = tax.rateBasisPoints > 0
  return [
    ...partyWarnings('seller', seller),
    ...(isTaxed && seller.vat === null ? ['seller_vat_missing'] : []),
    ...partyWarnings('buyer', buyer),
  ]
}

function partyWarnings(role: string, { name, address, vat }: Party): readonly string[] {
  return [
    ...(name === null ? [`${role}_name_missing`] : []),
    ...(address === null ? [`${role}_address_missing`] : []),
    ...(vat !== null && !looksValid(vat) ? [`${role}_vat_format`] : []),
  ]
}
