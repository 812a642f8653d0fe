import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { serviceAccountId } from '../../../src/domain/accounts/account.ts'
import type { MatchedBy } from '../../../src/domain/invoices/progress.ts'
import {
  type Candidate,
  type Claim,
  clockSkewMs,
  type Incoming,
  lateMoneyMs,
} from '../../../src/domain/settlement/candidate.ts'
import { match as matchInTurn } from '../../../src/domain/settlement/matching.ts'

/** The outcomes in the order of the transfers: `a1 amount`, `unmatched` or `ambiguous`. */
function match(transfers: readonly Incoming[], candidates: readonly Candidate[], chain = 'base') {
  const keyed = transfers.map((one, at) => ({ ...one, key: `t${at}` }))
  const outcomes = new Map(
    matchInTurn(chain, keyed, candidates).map((one) => [
      one.key,
      'heldAs' in one ? one.heldAs : `${one.invoiceId} ${one.matchedBy}`,
    ]),
  )
  return keyed.map(({ key }) => outcomes.get(key))
}

type Case = readonly [
  title: string,
  transfers: readonly Incoming[],
  candidates: readonly Candidate[],
  outcomes: readonly string[],
]

function testAll(cases: readonly Case[]): void {
  test.each(cases)('%s', (_, transfers, candidates, outcomes) => {
    expect(match(transfers, candidates)).toEqual([...outcomes])
  })
}

function candidate(over: Partial<Candidate> = {}): Candidate {
  return {
    invoiceId: 'a1',
    accountId: 'A',
    chain: 'base',
    payTo: '0xaa',
    hasOwnAddress: false,
    dueUsdcBase: 100n,
    receivedUsdcBase: 0n,
    paymentsBySize: [],
    createdAtMs: 1_000,
    dueAtMs: null,
    payer: null,
    claims: [],
    asked: [],
    acceptsPayment: true,
    isOpen: true,
    countsForOthers: true,
    ...over,
  }
}

/** An invoice of another account. */
function strangers(over: Partial<Candidate> = {}): Candidate {
  return candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1, ...over })
}

function transfer(over: Partial<Incoming> = {}): Incoming {
  return {
    key: '',
    txHash: '0x01',
    from: '0xee',
    to: '0xaa',
    usdcBase: 100n,
    blockTimeMs: 2_000,
    namedInvoiceIds: [],
    ...over,
  }
}

function transfersOf(...amounts: readonly bigint[]): readonly Incoming[] {
  return amounts.map((usdcBase) => transfer({ usdcBase }))
}

function partsOf(...amounts: readonly bigint[]): readonly Incoming[] {
  return amounts.map((usdcBase) => transfer({ usdcBase, namedInvoiceIds: ['a1'] }))
}

const paid = transfer()
const own = candidate()
const named = transfer({ namedInvoiceIds: ['a1'] })
const claim: Claim = { txHash: '0x01', payer: '0xee', madeAtMs: 5_000 }

describe('the amount rule', () => {
  const moved = transfer({ isMovedOn: true })
  const newer = candidate({ invoiceId: 'a2', createdAtMs: 1_500 })
  testAll([
    ['credits the one open invoice of exactly this amount', [paid], [own], ['a1 amount']],
    [
      'credits nobody with a transfer that has bought something',
      [transfer({ isUsed: true })],
      [own],
      ['unmatched'],
    ],
    [
      'credits nobody with it even if it names an invoice',
      [{ ...named, isUsed: true }],
      [own],
      ['unmatched'],
    ],
    [
      'credits nobody with funds collected from an invoice’s address',
      [moved],
      [own],
      ['unmatched'],
    ],
    [
      'credits such funds to the invoice they name',
      [{ ...moved, namedInvoiceIds: ['a1'] }],
      [own],
      ['a1 reference'],
    ],
    ['pays the oldest invoice of an account', [paid], [newer, own], ['a1 amount']],
    ['holds what fits two accounts as ambiguous', [paid], [own, strangers()], ['ambiguous']],
    [
      'counts an invoice created in the second of the block',
      [paid],
      [candidate({ createdAtMs: 2_999 })],
      ['a1 amount'],
    ],
    [
      'never pays an invoice created after that second',
      [paid],
      [candidate({ createdAtMs: 3_000 })],
      ['unmatched'],
    ],
    [
      'pays two invoices with two transfers, and holds a third',
      [paid, paid, paid],
      [own, newer],
      ['a1 amount', 'a2 amount', 'unmatched'],
    ],
  ])

  test.each([
    ['one unit short', { usdcBase: 99n }, {}],
    ['one unit over', { usdcBase: 101n }, {}],
    ['another address', { to: '0xbb' }, {}],
    ['another chain', {}, { chain: 'polygon' }],
    ['a closed invoice', {}, { acceptsPayment: false }],
    ['an invoice that has received something', {}, { receivedUsdcBase: 1n }],
  ])('%s matches nothing', (_, over, of) => {
    expect(match([transfer(over)], [candidate(of)])).toEqual(['unmatched'])
  })

  describe('with expired invoices', () => {
    const expired = candidate({ createdAtMs: 1, isOpen: false, dueAtMs: 1_500 })
    const another = { ...expired, invoiceId: 'a0', createdAtMs: 0 }
    const inTime = { ...expired, dueAtMs: 2_000 }
    const open = candidate({ invoiceId: 'a2' })
    const other = strangers({ createdAtMs: 1_000 })
    const paidAt = (blockTimeMs: number) => [transfer({ blockTimeMs })]
    const atLast = paidAt(1_500 + lateMoneyMs - 1)
    const tooLate = paidAt(1_500 + lateMoneyMs)
    testAll([
      ['pays a single one', [paid], [expired], ['a1 amount']],
      ['holds what fits two of them', [paid], [another, expired], ['ambiguous']],
      ['pays an open one first', [paid], [another, expired, open], ['a2 amount']],
      ['holds what also fits another account’s', [paid], [expired, other], ['ambiguous']],
      ['holds payments of others for thirty days', atLast, [expired, other], ['ambiguous']],
      ['then holds no payment of others', tooLate, [expired, other], ['b1 amount']],
      ['and is paid by its amount no more', tooLate, [expired], ['unmatched']],
      [
        'holds no payment of others once paid',
        [named, paid],
        [expired, other],
        ['a1 reference', 'b1 amount'],
      ],
      [
        'pays one that was open at the time of the block',
        [paid],
        [another, inTime, open],
        ['a1 amount'],
      ],
      [
        'pays one that is overdue and still open',
        [paid],
        [{ ...expired, isOpen: true }, open],
        ['a1 amount'],
      ],
      [
        'prefers an open one to one that names the sender',
        [paid],
        [{ ...expired, payer: '0xee' }, open],
        ['a2 amount'],
      ],
    ])
  })

  describe('with an account that is due many amounts within a cent', () => {
    const late = strangers({ countsForOthers: false })
    testAll([
      ['gives what its later ones are due to another account', [paid], [own, late], ['a1 amount']],
      ['pays its later ones where nobody else is due the same', [paid], [late], ['b1 amount']],
      [
        'holds what fits the later ones of two accounts',
        [paid],
        [{ ...own, countsForOthers: false }, late],
        ['ambiguous'],
      ],
    ])
  })

  describe('with an invoice that was created without a key', () => {
    const keyless = candidate({ invoiceId: 'k1', accountId: serviceAccountId })
    testAll([
      ['never pays it', [paid], [keyless], ['unmatched']],
      ['pays another account’s of the same amount', [paid], [keyless, own], ['a1 amount']],
      [
        'pays it by reference',
        [transfer({ namedInvoiceIds: ['k1'] })],
        [keyless],
        ['k1 reference'],
      ],
      ['pays it by claim', [paid], [{ ...keyless, claims: [claim] }, own], ['k1 claim']],
    ])
  })

  test('holds a payment while another account’s invoice was created at about the time of the block', () => {
    const [soon, later] = [2_999 + clockSkewMs, 3_000 + clockSkewMs]
    for (const isOpen of [true, false]) {
      const fitting = strangers({ isOpen, dueAtMs: 1_500 })
      expect(match([paid], [fitting, candidate({ createdAtMs: soon })])).toEqual(['ambiguous'])
      expect(match([paid], [fitting, candidate({ createdAtMs: later })])).toEqual(['b1 amount'])
    }
  })

  test('pays the oldest of an account whose next invoice was created at about the time of the block', () => {
    const newer = candidate({ invoiceId: 'a2', createdAtMs: 3_000 })
    for (const isOpen of [true, false])
      expect(match([paid], [newer, candidate({ isOpen, dueAtMs: 1_500 })])).toEqual(['a1 amount'])
  })

  test('gives a payment of an open invoice to no other account if clocks differ by less than the skew allowed', () => {
    const moment = fc.integer({ min: 0, max: 10_000 })
    const stranger = fc.record({
      createdAtMs: fc.integer({ max: 80_000 }),
      dueAtMs: fc.integer({ max: 80_000 }),
      isOpen: fc.boolean(),
    })
    const clockMs = fc.integer({ min: -clockSkewMs, max: clockSkewMs })
    fc.assert(
      fc.property(
        moment,
        moment,
        clockMs,
        fc.array(stranger, { maxLength: 3 }),
        (madeAtMs, waitMs, aheadMs, others) => {
          const real = candidate({ createdAtMs: madeAtMs + aheadMs })
          const fitting = others.map((over, at) =>
            candidate({ invoiceId: `b${at}`, accountId: `B${at}`, ...over }),
          )
          const blockTimeMs = Math.floor((madeAtMs + waitMs) / 1_000) * 1_000
          const [outcome] = match([transfer({ blockTimeMs })], [...fitting, real])
          expect(['a1 amount', 'unmatched', 'ambiguous']).toContain(outcome as string)
        },
      ),
    )
  })

  describe('with an invoice that is partly paid', () => {
    const partly = candidate({ receivedUsdcBase: 40n, paymentsBySize: [1] })
    const rest = transfer({ usdcBase: 60n })
    const others = strangers({ dueUsdcBase: 60n })
    const asked = [{ usdcBase: 60n, askedAtMs: 1_500, countsForOthers: true }]
    testAll([
      ['pays it by what is left', [rest], [partly], ['a1 amount']],
      ['does not pay it by what was due before', [paid], [partly], ['unmatched']],
      [
        'holds what was due before where another account is due it',
        [paid],
        [partly, strangers()],
        ['ambiguous'],
      ],
      [
        'holds it where another account pays a part in the same batch',
        [...partsOf(2n), paid],
        [own, strangers()],
        ['a1 reference', 'ambiguous'],
      ],
      ['holds the rest where another account is due it', [rest], [partly, others], ['ambiguous']],
      [
        'gives the rest to another account that has asked for it, as anybody can pay a part',
        [rest],
        [partly, strangers({ asked })],
        ['b1 asked'],
      ],
      [
        'pays the rest that the same batch has left',
        [...partsOf(40n), rest],
        [own],
        ['a1 reference', 'a1 amount'],
      ],
      [
        'holds it where another account is due it',
        [...partsOf(40n), rest],
        [own, others],
        ['a1 reference', 'ambiguous'],
      ],
    ])
  })

  describe('with an invoice that has received dust', () => {
    const dusty = candidate({ dueUsdcBase: 10_000n, receivedUsdcBase: 99n, paymentsBySize: [0, 1] })
    const whole = transfer({ usdcBase: 10_000n })
    const clean = { ...dusty, receivedUsdcBase: 0n, paymentsBySize: [] }
    testAll([
      ['pays it by what was due before', [whole], [dusty], ['a1 amount']],
      [
        'pays it after dust that names it',
        [...partsOf(1n), whole],
        [clean],
        ['a1 reference', 'a1 amount'],
      ],
      ['pays it by its payer', [whole], [{ ...dusty, payer: '0xee' }], ['a1 payer']],
      ['pays it once', [whole, whole], [dusty], ['a1 amount', 'unmatched']],
      ['does not pay it by what is left', transfersOf(9_901n), [dusty], ['unmatched']],
      [
        'does not pay it once a hundredth has arrived',
        [whole],
        [{ ...dusty, receivedUsdcBase: 100n }],
        ['unmatched'],
      ],
      [
        'holds a payment that also fits another account',
        [whole],
        [dusty, strangers({ dueUsdcBase: 10_000n })],
        ['ambiguous'],
      ],
    ])
  })
})

describe('the reference rule', () => {
  const closed = strangers({ acceptsPayment: false })
  const naming = (...namedInvoiceIds: readonly string[]) => [transfer({ namedInvoiceIds })]
  testAll([
    ['credits the named invoice, whoever else fits', [named], [own, strangers()], ['a1 reference']],
    ['credits any amount', partsOf(7n), [own], ['a1 reference']],
    [
      'adds up until the invoice is covered',
      partsOf(50n, 50n, 50n),
      [own],
      ['a1 reference', 'a1 reference', 'unmatched'],
    ],
    [
      'does not match a name that takes no more by its amount',
      naming('b1'),
      [own, closed],
      ['unmatched'],
    ],
    ['does not match an unknown name by its amount', naming('unknown'), [own], ['unmatched']],
    [
      'holds two different names as ambiguous',
      naming('a1', 'a2'),
      [own, candidate({ invoiceId: 'a2' })],
      ['ambiguous'],
    ],
    [
      'holds one that may name another transfer as ambiguous',
      [{ ...named, isUnsure: true }],
      [own],
      ['ambiguous'],
    ],
    ['takes the same name twice as one', naming('a1', 'a1'), [own], ['a1 reference']],
    [
      'leaves no covered invoice to the amount rule',
      [named, paid],
      [own],
      ['a1 reference', 'unmatched'],
    ],
  ])
})

describe('an invoice that is named apart from its transfer', () => {
  const loose = transfer({ usdcBase: 60n, looselyNamedIds: ['a1'] })
  const second = candidate({ invoiceId: 'a2' })
  const askedOf = (usdcBase: bigint) =>
    strangers({ dueUsdcBase: 7n, asked: [{ usdcBase, askedAtMs: 1, countsForOthers: true }] })
  testAll([
    ['is paid where it is the only open one', [loose], [own], ['a1 reference']],
    [
      'is paid beside one that is not open',
      [{ ...loose, looselyNamedIds: ['a1', 'a2'] }],
      [own, { ...second, isOpen: false }],
      ['a1 reference'],
    ],
    [
      'is not paid beside another open one',
      [{ ...loose, looselyNamedIds: ['a1', 'a2'] }],
      [own, second],
      ['unmatched'],
    ],
    [
      'is not paid with what another account is due',
      [loose],
      [own, strangers({ dueUsdcBase: 60n })],
      ['b1 amount'],
    ],
    [
      'is not paid with what another account has asked for',
      [loose],
      [own, askedOf(60n)],
      ['b1 asked'],
    ],
    [
      'is paid with what its own account is due elsewhere',
      [loose],
      [own, candidate({ invoiceId: 'a2', dueUsdcBase: 60n })],
      ['a1 reference'],
    ],
  ])
})

describe('the address rule', () => {
  const alone = candidate({ payTo: '0xd1', hasOwnAddress: true })
  const there = (over: Partial<Incoming> = {}) => transfer({ to: '0xd1', ...over })
  const sharing = strangers({ payTo: '0xd1' })
  const part = there({ usdcBase: 60n })
  testAll([
    ['credits the amount due', [there()], [alone], ['a1 address']],
    ['credits less', [there({ usdcBase: 1n })], [alone], ['a1 address']],
    ['credits more', [there({ usdcBase: 1_000n })], [alone], ['a1 address']],
    [
      'adds up until the invoice is covered',
      [part, part, part],
      [alone],
      ['a1 address', 'a1 address', 'unmatched'],
    ],
    [
      'comes after a reference to it',
      [there({ namedInvoiceIds: ['a1'] })],
      [alone],
      ['a1 reference'],
    ],
    [
      'gives a closed invoice’s money to nobody else',
      [there()],
      [{ ...alone, acceptsPayment: false }, sharing],
      ['unmatched'],
    ],
    [
      'gives a covered invoice’s money to nobody else',
      [there()],
      [{ ...alone, receivedUsdcBase: 100n }, sharing],
      ['unmatched'],
    ],
    ['never counts what has bought something', [there({ isUsed: true })], [alone], ['unmatched']],
    ['pays an expired invoice late', [there()], [{ ...alone, isOpen: false }], ['a1 address']],
  ])

  test('counts on its own chain only', () => {
    expect(match([there()], [alone], 'polygon')).toEqual(['unmatched'])
  })

  test('wins whatever else the transfer names, is claimed for or fits by its amount', () => {
    const others = [
      strangers(),
      strangers({ invoiceId: 'b2', payTo: '0xd2', hasOwnAddress: true, claims: [claim] }),
    ]
    for (const namedInvoiceIds of [[], ['b1'], ['b2'], ['a1', 'b1'], ['nobody']])
      expect(match([there({ namedInvoiceIds })], [alone, ...others])).toEqual(['a1 address'])
  })
})

describe('the claim rule', () => {
  const claimed = candidate({ claims: [claim] })
  const others = strangers({ claims: [claim] })
  const later = { ...claim, madeAtMs: 6_000 }
  testAll([
    [
      'credits the claimed invoice, whoever else fits',
      [paid],
      [claimed, strangers()],
      ['a1 claim'],
    ],
    ['credits any amount', transfersOf(7n), [claimed], ['a1 claim']],
    ['comes after a reference', [named], [own, others], ['a1 reference']],
    [
      'decides where the named invoice takes no more',
      [named],
      [candidate({ acceptsPayment: false }), others],
      ['b1 claim'],
    ],
    [
      'decides where the transfer names two',
      [transfer({ namedInvoiceIds: ['a1', 'a2'] })],
      [own, others],
      ['b1 claim'],
    ],
    [
      'takes the one transfer of exactly the amount due and leaves the others',
      transfersOf(40n, 100n),
      [claimed],
      ['unmatched', 'a1 claim'],
    ],
    [
      'takes parts where the exact one names another invoice',
      [
        transfer({ usdcBase: 40n }),
        transfer({ namedInvoiceIds: ['b1'] }),
        transfer({ usdcBase: 50n }),
      ],
      [claimed, candidate({ invoiceId: 'b1' })],
      ['a1 claim', 'b1 reference', 'a1 claim'],
    ],
    [
      'takes parts only until one is exactly what is left',
      transfersOf(20n, 40n, 80n),
      [claimed],
      ['a1 claim', 'unmatched', 'a1 claim'],
    ],
    [
      'serves the first claim first, even if a later one fits a transfer exactly',
      transfersOf(40n, 20n),
      [
        candidate({ dueUsdcBase: 60n, claims: [claim] }),
        candidate({ invoiceId: 'a2', dueUsdcBase: 40n, claims: [later] }),
      ],
      ['a1 claim', 'a1 claim'],
    ],
    [
      'adds up until the invoice is covered, then serves the next claim',
      transfersOf(60n, 60n, 60n),
      [candidate({ invoiceId: 'a2', claims: [later] }), claimed],
      ['a1 claim', 'a1 claim', 'a2 claim'],
    ],
  ])

  test.each([
    ['another sender’s transfer', { from: '0xff' }],
    ['another transaction', { txHash: '0x02' }],
  ])('does not count for %s, which the amount rule takes', (_, over) => {
    expect(match([transfer(over)], [claimed])).toEqual(['a1 amount'])
    expect(match([transfer({ ...over, usdcBase: 7n })], [claimed])).toEqual(['unmatched'])
  })

  test.each([
    ['another address', { payTo: '0xbb' }],
    ['a closed invoice', { acceptsPayment: false }],
    ['a covered invoice', { receivedUsdcBase: 100n }],
  ])('for %s holds the transfer: nothing else takes it', (_, over) => {
    const closed = candidate({ invoiceId: 'b1', claims: [claim], ...over })
    expect(match([paid], [closed, own])).toEqual(['unmatched'])
  })

  test.each([
    [
      'its exact transfer where their amounts differ',
      transfersOf(40n, 100n),
      [
        candidate({ invoiceId: 'a0', dueUsdcBase: 40n, claims: [claim] }),
        candidate({ claims: [{ ...claim, madeAtMs: 1 }] }),
      ],
    ],
    [
      'one where their amounts are the same: the exact one, and a part',
      transfersOf(70n, 100n),
      [candidate({ invoiceId: 'a0', claims: [later] }), candidate({ claims: [claim] })],
    ],
  ])('gives each of two claimed invoices %s, in any order of transfers', (_, sent, both) => {
    expect(match(sent, both)).toEqual(['a0 claim', 'a1 claim'])
    expect(match(sent.toReversed(), both)).toEqual(['a1 claim', 'a0 claim'])
  })

  test('returns outcomes in the order in which an invoice takes the transfers', () => {
    const sent = [...transfersOf(80n), ...partsOf(30n)]
    expect(matchInTurn('base', sent, [claimed])).toEqual([
      { key: '', invoiceId: 'a1', matchedBy: 'reference' },
      { key: '', invoiceId: 'a1', matchedBy: 'claim' },
    ])
  })
})

describe('an invoice with as many part payments of a size as it takes', () => {
  const dusty = candidate({
    dueUsdcBase: 1_000n,
    receivedUsdcBase: 100n,
    paymentsBySize: [0, 100],
  })
  const rules: readonly [MatchedBy, Partial<Incoming>, Partial<Candidate>][] = [
    ['reference', { namedInvoiceIds: ['a1'] }, {}],
    ['address', {}, { hasOwnAddress: true }],
    ['claim', {}, { claims: [claim] }],
  ]
  test.each(rules)(
    'takes a hundredth of the amount due by %s, and holds less',
    (matchedBy, over, of) => {
      const parts = [10n, 9n].map((usdcBase) => transfer({ ...over, usdcBase }))
      expect(match(parts, [{ ...dusty, ...of }])).toEqual([`a1 ${matchedBy}`, 'unmatched'])
    },
  )

  const before = () => ({ invoiceId: 'a1', matchedBy: 'reference' }) as const
  const [part = paid] = partsOf(1n)
  testAll([
    [
      'takes less where it completes the amount due',
      partsOf(8n, 9n),
      [{ ...dusty, receivedUsdcBase: 991n }],
      ['unmatched', 'a1 reference'],
    ],
    [
      'counts payments of the same size class',
      partsOf(1n, 1n, 1n, 10n),
      [{ ...dusty, receivedUsdcBase: 98n, paymentsBySize: [0, 98] }],
      ['a1 reference', 'a1 reference', 'unmatched', 'a1 reference'],
    ],
    [
      'keeps what it had before a reorganisation',
      [{ ...part, paidBefore: before() }],
      [dusty],
      ['a1 reference'],
    ],
    [
      'takes nothing that another invoice had before',
      [{ ...part, paidBefore: { ...before(), invoiceId: 'a2' } }],
      [dusty],
      ['unmatched'],
    ],
  ])

  test('takes much larger payments: dust uses up the places of dust alone', () => {
    const sent = partsOf(...Array.from({ length: 101 }, () => 1n), 1_000_000n, 499_000_000n)
    const outcomes = match(sent, [candidate({ dueUsdcBase: 500_000_000n })])
    expect(outcomes.indexOf('unmatched')).toBe(100)
    expect(outcomes.lastIndexOf('unmatched')).toBe(100)
  })

  test('never has more than some hundreds of all sizes', () => {
    const sizes = [1n, 99n, 100n, 9_999n, 10_000n]
    const parts = partsOf(...sizes.flatMap((size) => Array.from({ length: 101 }, () => size)))
    const outcomes = match(parts, [candidate({ dueUsdcBase: 1_000_000n })])
    // A hundred of each class below a hundredth of the amount due, and 99 hundredths of the rest.
    expect(outcomes.filter((one) => one !== 'unmatched')).toHaveLength(299)
  })
})

describe('the payer rule', () => {
  const expecting = candidate({ invoiceId: 'a2', createdAtMs: 1_500, payer: '0xee' })
  const thief = strangers({ payer: '0xee' })
  testAll([
    [
      'prefers the invoice that names the sender to an older one',
      [paid],
      [own, expecting],
      ['a2 payer'],
    ],
    ['applies to a single invoice', [paid], [expecting], ['a2 payer']],
    ['never wins against another account', [paid], [own, thief], ['ambiguous']],
    ['gains nothing by naming another account’s payer', [paid], [expecting, thief], ['ambiguous']],
    [
      'takes no payment from another account’s open invoice long after the due date',
      [paid],
      [{ ...thief, createdAtMs: 1_000, isOpen: false, dueAtMs: 1_600 - lateMoneyMs }, own],
      ['a1 amount'],
    ],
    ['does not count for another amount', transfersOf(99n), [expecting], ['unmatched']],
    [
      'does not count for an earlier block',
      [transfer({ blockTimeMs: 0 })],
      [expecting],
      ['unmatched'],
    ],
    [
      'leaves another sender to the amount rule',
      [transfer({ from: '0xff' })],
      [expecting],
      ['a2 amount'],
    ],
    [
      'pays the invoice that names the sender first, then the oldest',
      [paid, paid],
      [own, expecting],
      ['a2 payer', 'a1 amount'],
    ],
  ])
})

describe('after a reorganisation', () => {
  const before = (invoiceId: string, matchedBy: MatchedBy): Incoming =>
    transfer({ paidBefore: { invoiceId, matchedBy } })
  const newer = candidate({ invoiceId: 'a2', createdAtMs: 1_500 })
  const back = before('a2', 'payer')
  const claimed = candidate({ claims: [claim] })
  const byClaim = { ...before('b1', 'claim'), usdcBase: 200n }
  const due = (dueUsdcBase: bigint) => candidate({ invoiceId: 'b1', dueUsdcBase, claims: [claim] })
  testAll([
    ['a transfer pays the same by the same rule', [back], [own, newer, strangers()], ['a2 payer']],
    ['it pays an expired invoice late', [back], [own, { ...newer, isOpen: false }], ['a2 payer']],
    ['it comes before any claim', [back], [claimed, newer], ['a2 payer']],
    [
      'it comes before what the transfer names',
      [{ ...named, paidBefore: { invoiceId: 'b1', matchedBy: 'operator' } }],
      [own, candidate({ invoiceId: 'b1' })],
      ['b1 operator'],
    ],
    [
      'it keeps its invoice, though another of its transaction is claimed',
      [byClaim, before('a1', 'amount')],
      [own, due(250n)],
      ['b1 claim', 'a1 amount'],
    ],
    [
      'a transfer pays the claimed invoice where its former one takes no payment',
      [before('a1', 'amount')],
      [candidate({ acceptsPayment: false }), candidate({ invoiceId: 'b1', claims: [claim] })],
      ['b1 claim'],
    ],
    ['what was held stays held', [transfer({ heldAs: 'ambiguous' })], [own], ['ambiguous']],
    [
      'what was held pays what is claimed',
      [transfer({ heldAs: 'ambiguous' })],
      [claimed],
      ['a1 claim'],
    ],
  ])

  test.each([
    ['closed', { acceptsPayment: false }],
    ['covered', { receivedUsdcBase: 100n }],
    ['on another chain', { chain: 'polygon' }],
    ['at another address', { payTo: '0xbb' }],
  ])('a transfer is held where its invoice is %s, whatever else fits', (_, over) => {
    expect(match([back], [own, { ...newer, ...over }])).toEqual(['unmatched'])
  })
})

describe('a transfer of an amount that payers of one invoice were asked for', () => {
  const asked = (usdcBase: bigint, askedAtMs = 1_500, countsForOthers = true) => [
    { usdcBase, askedAtMs, countsForOthers },
  ]
  const mine = candidate({ invoiceId: 'a2', createdAtMs: 1_200, asked: asked(101n) })
  const keyless = { ...mine, invoiceId: 'k1', accountId: serviceAccountId }
  const sent = [transfer({ usdcBase: 101n })]
  const whole = candidate({ dueUsdcBase: 20_100n, asked: asked(20_100n) })
  const due = (over: Partial<Candidate> = {}) => strangers({ dueUsdcBase: 101n, ...over })
  testAll([
    [
      'pays it, not an older one due the same',
      sent,
      [candidate({ dueUsdcBase: 101n }), mine],
      ['a2 asked'],
    ],
    [
      'pays it before one that names the sender',
      sent,
      [candidate({ dueUsdcBase: 101n, payer: '0xee' }), mine],
      ['a2 asked'],
    ],
    [
      'is held where another account’s, created before, is due the same',
      sent,
      [due({ createdAtMs: 1_300 }), mine],
      ['ambiguous'],
    ],
    [
      'wins over one of another account created since',
      sent,
      [due({ createdAtMs: 1_600 }), mine],
      ['a2 asked'],
    ],
    [
      'is held where another account’s is due the same price, whenever it was created',
      transfersOf(20_100n),
      [strangers({ dueUsdcBase: 20_100n, createdAtMs: 1_600 }), whole],
      ['ambiguous'],
    ],
    [
      'wins over what a part payment has left of an older one of another account',
      sent,
      [strangers({ dueUsdcBase: 151n, receivedUsdcBase: 50n, paymentsBySize: [1] }), mine],
      ['a2 asked'],
    ],
    [
      'wins as one of many within a cent over one of another account created since',
      sent,
      [due({ createdAtMs: 1_600 }), { ...mine, asked: asked(101n, 1_500, false) }],
      ['a2 asked'],
    ],
    [
      'wins over an expired one of another account',
      sent,
      [due({ isOpen: false, dueAtMs: 1_900 }), mine],
      ['a2 asked'],
    ],
    [
      'wins over one of another account’s many within a cent',
      sent,
      [due({ countsForOthers: false }), mine],
      ['a2 asked'],
    ],
    [
      'loses to another account as one of many within a cent',
      sent,
      [due({ createdAtMs: 1_300 }), { ...mine, asked: asked(101n, 1_500, false) }],
      ['b1 amount'],
    ],
    [
      'wins over an invoice created without a key',
      sent,
      [{ ...due(), accountId: serviceAccountId }, mine],
      ['a2 asked'],
    ],
    ['pays an invoice created without a key', sent, [keyless], ['k1 asked']],
    [
      'pays what is left of an invoice that is partly paid',
      transfersOf(41n),
      [candidate({ receivedUsdcBase: 60n, asked: asked(41n) })],
      ['a1 asked'],
    ],
    [
      'that was asked before a part payment still pays it',
      sent,
      [candidate({ receivedUsdcBase: 60n, asked: [...asked(101n), ...asked(40n)] })],
      ['a1 asked'],
    ],
    ['pays an expired invoice late', sent, [{ ...mine, isOpen: false, dueAtMs: 1 }], ['a2 asked']],
    [
      'pays nothing twice',
      [...sent, transfer({ usdcBase: 101n, txHash: '0x02' })],
      [mine],
      ['a2 asked', 'unmatched'],
    ],
    [
      'made before it was asked is judged by the amounts due',
      [paid],
      [candidate(), candidate({ invoiceId: 'a2', asked: asked(100n, 3_000) })],
      ['a1 amount'],
    ],
    [
      'but names another invoice pays that',
      [transfer({ usdcBase: 101n, namedInvoiceIds: ['a1'] })],
      [candidate(), mine],
      ['a1 reference'],
    ],
  ])
})
