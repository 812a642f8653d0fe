import { euMembers } from '../country.ts'
import type { Detail } from '../error.ts'
import type { TaxCategory } from '../invoices/lines.ts'
import type { Party } from '../invoices/terms.ts'
import { type VatId, vatIdOf } from './ids.ts'

export type Role = 'buyer' | 'seller'

/** Who is taxed, and how. */
export type Taxed = {
  readonly buyer: Party
  readonly seller: Party
  readonly taxCountry: string | null
  /** Of each line. */
  readonly categories: readonly TaxCategory[]
  /** Where the request has a member of a party. */
  readonly path: (role: Role, member: 'name' | 'country' | 'vat') => string
}

/** What EN 16931 requires of both parties and is missing or forbidden. */
export function problemsOf(taxed: Taxed): readonly Detail[] {
  const ofMixture = problemsOfMixture(taxed)
  return [
    ...problemsOfParties(taxed),
    ...(ofMixture.length > 0 ? ofMixture : problemsOfVatIds(taxed)),
  ]
}

// BR-06, BR-09 and BR-11.
function problemsOfParties({ buyer, seller, path }: Taxed): readonly Detail[] {
  const noCountry = 'is required with lines, unless the VAT id begins with it'
  return [
    ...(seller.name ? [] : [{ path: path('seller', 'name'), message: noName }]),
    ...(seller.country ? [] : [{ path: path('seller', 'country'), message: noCountry }]),
    ...(buyer.country ? [] : [{ path: path('buyer', 'country'), message: noCountry }]),
  ]
}

export const noName = 'is required unless the profile of the account has a name'

function problemsOfMixture({ buyer, seller, categories }: Taxed): readonly Detail[] {
  const outsideAt = categories.indexOf('outside_scope')
  const exportAt = categories.indexOf('export')
  // BR-O-11 to BR-O-14.
  if (outsideAt >= 0 && categories.some((category) => category !== 'outside_scope'))
    return [ofLine(outsideAt, 'outside_scope cannot stand beside other categories')]
  if (exportAt >= 0 && seller.country && buyer.country === seller.country)
    return [ofLine(exportAt, 'export is for buyers in other countries than the seller’s')]
  return []
}

function ofLine(at: number, message: string): Detail {
  return { path: `lines/${at}/taxCategory`, message }
}

type Ids = Readonly<Record<Role, VatId | null>>

type Rule = {
  readonly of: readonly TaxCategory[]
  readonly role: Role
  readonly message: string
  readonly isBroken: (ids: Ids, party: Party) => boolean
}

const aVatId = 'must be a VAT id that begins with its country'

const rules: readonly Rule[] = [
  {
    // BR-S-02, BR-Z-02, BR-E-02 and BR-AE-02: a number that is not a VAT id will do.
    of: ['standard', 'reduced', 'zero', 'exempt', 'reverse_charge'],
    role: 'seller',
    message: 'is required',
    isBroken: (_, seller) => seller.vat === null,
  },
  {
    // BR-G-02 and BR-IC-02.
    of: ['export', 'intra_community'],
    role: 'seller',
    message: aVatId,
    isBroken: ({ seller }) => seller === null,
  },
  {
    of: ['reverse_charge', 'intra_community'],
    role: 'buyer',
    message: aVatId,
    isBroken: ({ buyer }) => buyer === null,
  },
  {
    of: ['intra_community'],
    role: 'seller',
    message: 'must be of a country of the EU',
    isBroken: ({ seller }) => seller !== null && !isOfUnion(seller),
  },
  {
    of: ['intra_community'],
    role: 'buyer',
    message: 'must be of another country of the EU than the seller’s',
    isBroken: ({ buyer, seller }) =>
      buyer !== null && (!isOfUnion(buyer) || buyer.country === seller?.country),
  },
  ...(['seller', 'buyer'] as const).map(
    (role): Rule => ({
      // BR-O-02 to BR-O-04.
      of: ['outside_scope'],
      role,
      message: 'must not be a VAT id (without taxCountry and taxCategory, a line is outside_scope)',
      isBroken: (ids) => ids[role] !== null,
    }),
  ),
]

function problemsOfVatIds(taxed: Taxed): readonly Detail[] {
  const { categories, taxCountry, path } = taxed
  const idOf = (role: Role) => vatIdOf(taxed[role].vat ?? '', taxCountry)
  const ids = { buyer: idOf('buyer'), seller: idOf('seller') }
  return rules.flatMap(({ of, role, message, isBroken }) => {
    const category = categories.find((one) => of.includes(one))
    if (!category || !isBroken(ids, taxed[role])) return []
    return [{ path: path(role, 'vat'), message: `${message} with taxCategory ${category}` }]
  })
}

/** VAT ids of Northern Ireland, for goods. */
const northernIreland = /^XI/

function isOfUnion({ text, country }: VatId): boolean {
  return euMembers.has(country) || northernIreland.test(text)
}
