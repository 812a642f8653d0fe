import type { CreditNote, Terms } from '../../src/domain/credit-notes/credit-note.ts'
import { type Command, decide } from '../../src/domain/credit-notes/decide.ts'
import { evolve, type Promised } from '../../src/domain/credit-notes/evolve.ts'

/** 11.90 EUR with 1.90 of tax, at a rate of 1. */
export function creditTerms(over: Partial<Terms> = {}): Terms {
  return {
    form: 'api',
    reason: 'Returned',
    currency: 'EUR',
    scale: 2,
    invoice: { year: 2026, number: 1 },
    countryCode: 'DE',
    breakdown: [
      {
        category: 'standard',
        rateBasisPoints: 1900,
        baseUnits: 1000n,
        taxUnits: 190n,
        reason: null,
      },
    ],
    subtotalUnits: 1000n,
    taxUnits: 190n,
    totalUnits: 1190n,
    usdcBase: 11_900_000n,
    chain: 'base',
    payTo: '0x00000000000000000000000000000000000000aa',
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    ...over,
  }
}

/** The note after its issue and `commands`. */
export function noteAfter(
  commands: readonly Command[],
  refunds: readonly Promised[],
  now = new Date('2026-05-01T12:00:00.000Z'),
): CreditNote {
  const ids = { id: 'note', accountId: 'acc', invoiceId: 'inv' }
  const issue: Command = { kind: 'issue', ...ids, terms: creditTerms(), refunds }
  const note = [issue, ...commands].reduce<CreditNote | undefined>(
    (state, command) => evolve(state, decide(state, command), now),
    undefined,
  )
  return { ...(note as CreditNote), number: 1 }
}
