import type { TaxCategory, TaxShare } from '../../domain/invoices/lines.ts'
import type { Terms } from '../../domain/invoices/terms.ts'
import { toAmount } from '../../domain/money/money.ts'
import { clean } from '../texts.ts'

/** BT-118 and BT-151, a subset of UNTDID 5305. */
export type VatCode = 'S' | 'Z' | 'E' | 'AE' | 'K' | 'G' | 'O'

export type Vat = {
  readonly category: VatCode
  /** Null for O, which has no rate. */
  readonly percent: string | null
}

export type Taxed = Pick<TaxShare, 'category' | 'rateBasisPoints'>

/** The flat form has no categories: untaxed it is O, or E for a seller with a VAT id. */
export function vatOf({ category, rateBasisPoints }: Taxed, { lines, seller }: Terms): Vat {
  const untaxed = lines ? codes[category] : seller.vat === null ? 'O' : 'E'
  const code = rateBasisPoints > 0 ? 'S' : untaxed
  return { category: code, percent: code === 'O' ? null : toAmount(BigInt(rateBasisPoints), 2) }
}

/** Of categories without tax: a rate of 0 % is Z, whatever the country calls it. */
const codes = {
  standard: 'Z',
  reduced: 'Z',
  zero: 'Z',
  exempt: 'E',
  reverse_charge: 'AE',
  intra_community: 'K',
  export: 'G',
  outside_scope: 'O',
} as const satisfies Readonly<Record<TaxCategory, VatCode>>

/** BT-120 and BT-121. S and Z must not have any. */
export type Exemption = { readonly reason: string | null; readonly code: string | null }

/** The caller's reason, a text or a VATEX code, or the category's own. */
export function exemptionOf(share: TaxShare, terms: Terms): Exemption {
  const { category } = vatOf(share, terms)
  if (category === 'S' || category === 'Z') return { reason: null, code: null }
  const given = clean(share.reason ?? '')
  if (isVatex(given)) return { reason: null, code: given.toUpperCase() }
  const { reason, code } = exemptions[category]
  return { reason: given || reason, code: terms.lines ? code : null }
}

/** Whether a reason is a code of the list that EN 16931 refers to, rather than a text. */
function isVatex(reason: string): boolean {
  return /^VATEX-[A-Z]{2}-[A-Z0-9-]+$/i.test(reason)
}

const exemptions = {
  E: { reason: 'No VAT has been charged', code: null },
  AE: { reason: 'Reverse charge', code: 'VATEX-EU-AE' },
  K: { reason: 'Intra-community supply', code: 'VATEX-EU-IC' },
  G: { reason: 'Export outside the EU', code: 'VATEX-EU-G' },
  O: { reason: 'Not subject to VAT', code: 'VATEX-EU-O' },
}
