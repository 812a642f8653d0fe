import { type Command, decide } from '../../src/domain/invoices/decide.ts'
import { evolve } from '../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../src/domain/invoices/invoice.ts'
import type { Payment } from '../../src/domain/invoices/progress.ts'
import type { Terms } from '../../src/domain/invoices/terms.ts'

/** 12.50 USDC on base. */
export function terms(over: Partial<Terms> = {}): Terms {
  return {
    form: 'v1',
    submittedAmount: '12.5',
    currency: 'USDC',
    scale: 6,
    // Before `totalUnits`, as where it is created.
    ...(over.minorScale !== undefined && { minorScale: over.minorScale }),
    subtotalUnits: 12_500_000n,
    tax: { countryCode: null, rateBasisPoints: 0, taxUnits: 0n },
    totalUnits: 12_500_000n,
    dueUsdcBase: 12_500_000n,
    fx: null,
    chain: 'base',
    payTo: '0x00000000000000000000000000000000000000aa',
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    reference: `0x${'00'.repeat(32)}`,
    buyer: { name: 'Buyer', email: 'buyer@example.com', address: null, vat: null },
    seller: { name: 'Seller', email: null, address: null, vat: null, wallet: null },
    description: null,
    agentId: null,
    mandateId: null,
    mandateHash: null,
    payer: null,
    dueAt: null,
    metadata: null,
    ...over,
  }
}

/** 12.50 USDC, unconfirmed. */
export function payment(over: Partial<Payment> = {}): Payment {
  return {
    key: 'base:0x01:0',
    usdcBase: 12_500_000n,
    txHash: '0x01',
    blockNumber: 7,
    from: '0x00000000000000000000000000000000000000bb',
    matchedBy: 'reference',
    confirmed: false,
    ...over,
  }
}

/** The invoice after its creation and `commands`. */
export function after(
  commands: readonly Command[],
  over: Partial<Terms> = {},
  now = new Date('2026-05-01T12:00:00.000Z'),
): Invoice.Invoice {
  const create: Command = {
    kind: 'create',
    id: 'inv',
    accountId: 'acc',
    terms: terms(over),
  }
  const invoice = [create, ...commands].reduce<Invoice.Invoice | undefined>(
    (state, command) => evolve(state, decide(state, command, now), now),
    undefined,
  )
  return { ...(invoice as Invoice.Invoice), number: 1 }
}
