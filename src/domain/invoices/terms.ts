import { bigint, type Decoded, nullable, number, object, oneOf, optional, text } from '../codec.ts'
import { networks } from '../network.ts'
import { breakdown, lines } from './lines.ts'

/** Whether the account sells, or buys through the x402 proxy. */
export const kinds = ['sale', 'purchase'] as const

export type Kind = (typeof kinds)[number]

export const forms = ['api', 'v1'] as const

/** The family of paths that created an invoice; it decides how amounts and events are written. */
export type Form = (typeof forms)[number]

const partyFields = {
  name: nullable(text),
  email: nullable(text),
  address: nullable(text),
  vat: nullable(text),
  /** ISO 3166, upper case. */
  country: optional(text),
}

const party = object(partyFields)

export type Party = Decoded<typeof party>

const taxedFields = {
  currency: text,
  scale: number,
  /** The currency's own decimals, where `scale` is more. */
  minorScale: optional(number),
  subtotalUnits: bigint,
  tax: object({
    countryCode: nullable(text),
    /** Null where the lines have several rates. */
    rateBasisPoints: nullable(number),
    taxUnits: bigint,
    /** Of an invoice with lines. */
    breakdown: optional(breakdown),
  }),
}

/** The part of the terms that says how an invoice is taxed. */
export const taxed = object(taxedFields)

export type Taxed = Decoded<typeof taxed>

/** Everything fixed at creation. `*Units` have `scale` decimals. */
export const terms = object({
  /** The schema of the trail by which the creation is told; absent: 1. */
  schema: optional(number),
  form: oneOf(forms),
  /** The JSON text of the amount as submitted; responses repeat it. */
  submittedAmount: text,
  ...taxedFields,
  totalUnits: bigint,
  dueUsdcBase: bigint,
  /** The rate locked at creation; null for USD and USDC. */
  fx: nullable(object({ rate: text, source: text, asOf: text })),
  chain: oneOf(networks),
  payTo: text,
  usdcAddress: text,
  reference: text,
  buyer: party,
  seller: object({ ...partyFields, wallet: nullable(text) }),
  description: nullable(text),
  /** Absent in the flat form. */
  lines: optional(lines),
  /** The buyer's own mark of its order or department (BT-10). */
  buyerReference: optional(text),
  agentId: nullable(text),
  mandateId: nullable(text),
  /** 0x + 64 hex digits: what both parties of the mandate have signed. */
  mandateHash: nullable(text),
  payer: nullable(text),
  dueAt: nullable(text),
  /** The caller's object as JSON text, verbatim. */
  metadata: nullable(text),
  /** The account pays somebody else through the proxy: no transfer to us pays it. */
  isPurchase: optional(oneOf([true])),
  /** The buyer's order number for a purchase. */
  poNumber: optional(text),
  /** The child index of `payTo` under the operator's public key. Absent: `payTo` is shared. */
  depositIndex: optional(number),
})

export type Terms = Decoded<typeof terms>

/** The kind of an invoice with these terms. */
export function kindOf({ isPurchase }: Pick<Terms, 'isPurchase'>): Kind {
  return isPurchase ? 'purchase' : 'sale'
}

/** Who is on the other side: the buyer or, of a purchase, the host that sells, and its wallet. */
export function counterpartyOf({ isPurchase, seller, buyer, payer }: Terms) {
  return isPurchase
    ? { name: seller.name, wallet: seller.wallet }
    : { name: buyer.name ?? buyer.email, wallet: payer }
}
