import { expect, test } from 'bun:test'
import { objection } from '../../src/dashboard/objections.ts'

test.each([
  ['seller_address_missing', 'the seller’s address is missing'],
  ['buyer_vat_format', 'the buyer’s VAT id does not look like one'],
  ['seller_id_missing', 'the seller’s VAT id or wallet is missing'],
  ['tax_currency_missing', 'the tax is not in the currency of its country'],
  ['tax_not_charged', 'the tax is only recorded: the seller charged none'],
  ['exemption_reason_missing', 'no law is named by which no tax is charged'],
  ['terms_of_payment', 'terms of payment'],
])('%s is said in words: %s', (code, words) => {
  expect(objection(code)).toBe(words)
})
