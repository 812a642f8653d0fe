import type { Said } from './e-invoice.ts'

/**
 * The rules of EN 16931 and of Peppol BIS Billing 3.0 that our documents could break, written from
 * the texts of the standards. The official rules are in no package: see `documents/official.ts`.
 */
export function brokenRules(said: Said): readonly string[] {
  const rules = [...general, ...byCategory, ...(isPeppol(said) ? peppol : [])]
  return rules.flatMap(([id, holds]) => (holds(said) ? [] : [id]))
}

type Rule = readonly [id: string, holds: (said: Said) => boolean]
type Share = Said['breakdown'][number]

function isPeppol({ customization }: Said): boolean {
  return customization?.includes('peppol') ?? false
}

const general: readonly Rule[] = [
  ['BR-01', (said) => given(said.customization)],
  ['BR-02', (said) => given(said.number)],
  ['BR-03', (said) => isDay(said.issuedOn)],
  ['BR-04', (said) => said.type === (said.kind === 'invoice' ? '380' : '381')],
  ['BR-05', (said) => /^[A-Z]{3}$/.test(said.currency ?? '')],
  ['BR-06', (said) => given(said.seller.name)],
  ['BR-07', (said) => given(said.buyer.name)],
  ['BR-08', (said) => said.seller.hasAddress],
  ['BR-09', (said) => isCountry(said.seller.country)],
  ['BR-10', (said) => said.buyer.hasAddress],
  ['BR-11', (said) => isCountry(said.buyer.country)],
  ['BR-12 to 15', ({ sums }) => [sums.net, sums.untaxed, sums.gross, sums.payable].every(given)],
  ['BR-16', (said) => said.lines.length > 0],
  ['BR-21', ({ lines }) => lines.every(({ id }, at) => id === `${at + 1}`)],
  ['BR-22 to 26', ({ lines }) => lines.every(isWhole)],
  ['BR-27', ({ lines }) => lines.every(({ price }) => units(price) >= 0n)],
  ['BR-45 to 48', ({ breakdown }) => breakdown.every(isWholeShare)],
  ['BR-49', ({ means }) => means.every(({ code }) => given(code))],
  ['BR-50, 61', ({ means }) => means.every(({ account }) => given(account))],
  ['BR-55', ({ precedes }) => precedes.every(({ number }) => given(number))],
  [
    'BR-62, 63',
    (said) => [said.seller, said.buyer].every((it) => !it.endpoint || given(it.scheme)),
  ],
  ['BR-CO-04', ({ lines }) => lines.every(({ category }) => given(category))],
  ['BR-CO-09', (said) => [said.seller, said.buyer].every((it) => !it.vatId || isVatId(it.vatId))],
  ['BR-CO-10', ({ sums, lines }) => units(sums.net) === total(lines.map(({ net }) => net))],
  ['BR-CO-13', ({ sums }) => units(sums.untaxed) === units(sums.net)],
  ['BR-CO-14', ({ sums, breakdown }) => units(sums.tax) === total(breakdown.map(({ tax }) => tax))],
  ['BR-CO-15', ({ sums }) => units(sums.gross) === units(sums.untaxed) + units(sums.tax)],
  [
    'BR-CO-16',
    ({ sums }) =>
      units(sums.payable) === units(sums.gross) - units(sums.prepaid) + units(sums.rounding),
  ],
  [
    'BR-CO-17',
    ({ breakdown, kind, currency }) => breakdown.every((it) => isTaxOf(it, kind, currency)),
  ],
  ['BR-CO-18', ({ breakdown }) => breakdown.length > 0],
  ['BR-CO-25', (said) => units(said.sums.payable) <= 0n || given(said.dueOn ?? said.terms)],
  ['BR-CO-26', ({ seller }) => given(seller.id ?? seller.legalId ?? seller.vatId)],
  ['BR-DEC', ({ sums, breakdown }) => amountsIn(sums, breakdown).every(hasTwoDecimals)],
  ['no empty element', ({ emptyElements }) => emptyElements.length === 0],
  ['one currency', (said) => said.currencies.every((currency) => currency === said.currency)],
]

const free = ['Z', 'E', 'AE', 'K', 'G', 'O']

const byCategory: readonly Rule[] = [
  // BR-S-01, Z-01, … : what the lines have, the breakdown has, once for each rate.
  [
    'BR-*-01',
    ({ lines, breakdown }) =>
      same(lines.map(keyOf), breakdown.map(keyOf)) && isUnique(breakdown.map(keyOf)),
  ],
  ['BR-S-02, Z-02, E-02', (said) => !has(said, 'S', 'Z', 'E') || isTaxpayer(said.seller)],
  [
    'BR-AE-02',
    ({ seller, buyer, ...said }) =>
      !has(said, 'AE') || (isTaxpayer(seller) && given(buyer.vatId ?? buyer.legalId)),
  ],
  ['BR-IC-02', (said) => !has(said, 'K') || (given(said.seller.vatId) && given(said.buyer.vatId))],
  ['BR-G-02', (said) => !has(said, 'G') || given(said.seller.vatId)],
  ['BR-O-02', (said) => !has(said, 'O') || !(said.seller.vatId ?? said.buyer.vatId)],
  ['BR-S-05', (said) => ofLines(said, 'S').every(({ percent }) => units(percent) > 0n)],
  [
    'BR-Z-05, E-05, AE-05, IC-05, G-05',
    (said) => ofLines(said, 'Z', 'E', 'AE', 'K', 'G').every(({ percent }) => isZero(percent)),
  ],
  ['BR-O-05', (said) => ofLines(said, 'O').every(({ percent }) => percent === undefined)],
  [
    'BR-*-08',
    ({ lines, breakdown }) =>
      breakdown.every(
        (share) =>
          units(share.base) ===
          total(lines.filter((it) => keyOf(it) === keyOf(share)).map(({ net }) => net)),
      ),
  ],
  ['BR-Z-09 to O-09', (said) => ofShares(said, ...free).every(({ tax }) => isZero(tax))],
  [
    'BR-S-10, Z-10',
    (said) => ofShares(said, 'S', 'Z').every(({ reason, code }) => !given(reason ?? code)),
  ],
  [
    'BR-E-10 to O-10',
    (said) =>
      ofShares(said, 'E', 'AE', 'K', 'G', 'O').every(({ reason, code }) => given(reason ?? code)),
  ],
  ['BR-O-11, 12', (said) => !has(said, 'O') || said.breakdown.length === 1],
  ['BR-IC-11', (said) => !has(said, 'K') || isDay(said.delivery.on)],
  ['BR-IC-12', (said) => !has(said, 'K') || isCountry(said.delivery.country)],
  [
    'BR-CL-22',
    ({ breakdown }) =>
      breakdown.every(({ code }) => code === undefined || /^VATEX-[A-Z]{2}-[A-Z0-9-]+$/.test(code)),
  ],
]

// Schemes by which Peppol routes (EAS of 3.0.21); e-mail is not one of them.
const schemes = new Set(
  `0002 0007 0009 0060 0088 0096 0097 0106 0130 0135 0142 0151 0158 0183 0184 0188 0190 0191 0192 0195 0196 0198 0199 0200 0201 0204 0208 0209
   0210 0211 0216 0218 0221 0225 0230 0235 0240 0242 0244 0245 0246 0248 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928
   9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959`.split(
    /\s+/,
  ),
)

const peppol: readonly Rule[] = [
  ['R001, R007', ({ process }) => process === 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'],
  ['R003', (said) => given(said.buyerReference ?? said.order)],
  [
    'R004',
    ({ customization }) =>
      customization ===
      'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
  ],
  ['R010, R020', ({ seller, buyer }) => given(seller.endpoint) && given(buyer.endpoint)],
  ['CL008', ({ seller, buyer }) => [seller, buyer].every((it) => schemes.has(it.scheme ?? ''))],
  ['R120', ({ lines }) => lines.every(isPriced)],
  ['R121', ({ lines }) => lines.every((it) => !it.priceQuantity || units(it.priceQuantity) > 0n)],
  ['P0104 to 0107', ({ breakdown }) => breakdown.every(hasItsCode)],
  ['COMMON-R040 to 056', ({ seller, buyer }) => [seller, buyer].every(hasFormOfScheme)],
]

const places = 12

function units(decimal: string | undefined): bigint {
  if (decimal === undefined) return 0n
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  if (whole === '') throw new Error(`not a decimal: ${decimal}`)
  return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`)
}

function total(decimals: readonly (string | undefined)[]): bigint {
  return decimals.reduce((sum, decimal) => sum + units(decimal), 0n)
}

const cent = 10n ** BigInt(places - 2)

/** To the cent, but for currencies without cents and for parts of an invoice that is credited. */
function isTaxOf({ base, tax, percent }: Share, kind: string, currency = ''): boolean {
  const exact = (units(base) * units(percent)) / 100n / 10n ** BigInt(places)
  const rounded = ((exact + cent / 2n) / cent) * cent
  const isWhole = ['JPY', 'KRW', 'VND', 'CLP', 'ISK', 'XPF'].includes(currency)
  const slack = kind === 'credit_note' || isWhole ? 99n * cent : 0n
  const difference = units(tax) - rounded
  return difference <= slack && -difference <= slack
}

function isPriced({ quantity, price, priceQuantity, net }: Said['lines'][number]): boolean {
  const one = 10n ** BigInt(places)
  const product = (units(quantity) * units(price)) / (units(priceQuantity) || one)
  const difference = product - units(net)
  return difference <= 2n * cent && -difference <= 2n * cent
}

function isWhole({ quantity, unit, price, net, name }: Said['lines'][number]): boolean {
  return [quantity, unit, price, net, name].every(given) && /^[A-Z0-9]{2,3}$/.test(unit ?? '')
}

function isWholeShare({ base, tax, category, percent }: Share): boolean {
  return [base, tax, category].every(given) && (given(percent) || category === 'O')
}

function amountsIn(
  sums: Said['sums'],
  breakdown: readonly Share[],
): readonly (string | undefined)[] {
  return [...Object.values(sums), ...breakdown.flatMap(({ base, tax }) => [base, tax])]
}

function hasTwoDecimals(amount: string | undefined): boolean {
  return amount === undefined || /^-?\d+\.\d\d$/.test(amount)
}

const codeOwners: Readonly<Record<string, string>> = {
  'VATEX-EU-G': 'G',
  'VATEX-EU-O': 'O',
  'VATEX-EU-IC': 'K',
  'VATEX-EU-AE': 'AE',
}

function hasItsCode({ category, code }: Share): boolean {
  const owner = codeOwners[code ?? '']
  return owner === undefined || owner === category
}

const forms: Readonly<Record<string, RegExp>> = {
  '0007': /^\d{10}$/,
  '0151': /^\d{11}$/,
  '0184': /^DK\d{8}$/,
  '0192': /^\d{9}$/,
  '0208': /^[01]\d{9}$/,
  '0211': /^IT\d{11}$/,
  '0216': /^0037\d{8}$/,
  '9944': /^NL\d{9}B\d\d$/,
}

function hasFormOfScheme({ scheme, endpoint }: Said['seller']): boolean {
  return (forms[scheme ?? ''] ?? /./).test(endpoint ?? '')
}

function has({ breakdown }: Pick<Said, 'breakdown'>, ...categories: readonly string[]): boolean {
  return breakdown.some(({ category = '' }) => categories.includes(category))
}

function ofLines({ lines }: Said, ...categories: readonly string[]) {
  return lines.filter(({ category = '' }) => categories.includes(category))
}

function ofShares({ breakdown }: Said, ...categories: readonly string[]) {
  return breakdown.filter(({ category = '' }) => categories.includes(category))
}

type Keyed = { readonly category: string | undefined; readonly percent: string | undefined }

function keyOf({ category, percent }: Keyed): string {
  return `${category} ${percent}`
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return new Set(some).symmetricDifference(new Set(others)).size === 0
}

function isUnique(all: readonly string[]): boolean {
  return new Set(all).size === all.length
}

function isTaxpayer({ vatId, taxId, legalId }: Said['seller']): boolean {
  return given(vatId ?? taxId ?? legalId)
}

function isZero(decimal: string | undefined): boolean {
  return decimal !== undefined && units(decimal) === 0n
}

function given(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== ''
}

function isDay(text: string | undefined): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? '')
}

function isCountry(text: string | undefined): boolean {
  return /^[A-Z]{2}$/.test(text ?? '')
}

function isVatId(text: string): boolean {
  return /^[A-Z]{2}\w/.test(text)
}
