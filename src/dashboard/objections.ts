/** A warning about an invoice's documents in words: `buyer_vat_format` and the like. */
export function objection(code: string): string {
  const words = ofTax[code]
  if (words) return words
  const [, side, what = '', fault] = /^(seller|buyer)_(\w+)_(missing|format)$/.exec(code) ?? []
  if (!side) return code.replaceAll('_', ' ')
  const thing = `the ${side}’s ${things[what] ?? what}`
  return fault === 'missing' ? `${thing} is missing` : `${thing} does not look like one`
}

const ofTax: Readonly<Record<string, string>> = {
  tax_currency_missing: 'the tax is not in the currency of its country',
  exemption_reason_missing: 'no law is named by which no tax is charged',
  tax_not_charged: 'the tax is only recorded: the seller charged none',
}

const things: Readonly<Record<string, string>> = { vat: 'VAT id', id: 'VAT id or wallet' }
