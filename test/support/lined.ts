import type { Profile } from '../../src/domain/accounts/profile.ts'
import { fromRequest, type Request } from '../../src/domain/invoices/request.ts'
import type { RequestedLine } from '../../src/domain/invoices/requested-line.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'

const nobody = { name: null, email: null, address: null, vat: null }
const payee = { payTo: '0xaa', usdcAddress: '0xbb', reference: '0x00' }

/** One hour at 100, standard rate unless `over` says otherwise. */
export function requestedLine(over: Partial<RequestedLine> = {}): RequestedLine {
  return {
    description: 'Work',
    quantitySource: '1',
    unitPriceSource: '100',
    unit: null,
    category: null,
    taxRate: null,
    reason: null,
    ...over,
  }
}

/** A German seller and an Austrian buyer, in decimals of EUR. */
export function linedRequest(
  lines: readonly Partial<RequestedLine>[],
  over: Partial<Request> = {},
): Request {
  return {
    form: 'v1',
    amountSource: null,
    currency: 'EUR',
    country: 'DE',
    chain: 'base',
    lines: lines.map(requestedLine),
    buyer: { ...nobody, name: 'Ada', email: 'ada@example.com', country: 'AT' },
    seller: { ...nobody, name: 'Grace', vat: 'DE123456788', wallet: null },
    description: null,
    agentId: null,
    mandateId: null,
    payer: null,
    dueAt: null,
    metadata: null,
    ...over,
  }
}

/** Its terms, at 1 USD for one unit of the currency. */
export function termsOf(request: Request, profile?: Profile) {
  const fx = {
    rates: { [request.currency]: '1' },
    source: 'test',
    asOf: '2026-05-01T00:00:00.000Z',
  }
  return fromRequest(request, payee, { day: '2026-05-01', fx, taxTable: builtIn }, profile)
}
