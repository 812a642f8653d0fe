/** A warning about an invoice's documents in words: `buyer_vat_format` and the like. */
export function objection(code: string): string {
  if (code === 'tax_currency_missing') return 'the tax is not in the currency of its country'
  const [, side, what = '', fault] = /^(seller|buyer)_(\w+)_(missing|format)$/.exec(code) ?? []
  if (!side) return code.replaceAll('_', ' ')
  const thing = `the ${side}’s ${things[what] ?? what}`
  return fault === 'missing' ? `${thing} is missing` : `${thing} does not look like one`
}

const things: Readonly<Record<string, string>> = { vat: 'VAT id', id: 'VAT id or wallet' }
