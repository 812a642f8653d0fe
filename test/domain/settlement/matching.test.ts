import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { MatchedBy } from '../../../src/domain/invoices/progress.ts'
import {
  type Candidate,
  type Claim,
  clockSkewMs,
  type Incoming,
  lateMoneyMs,
  type Match,
} from '../../../src/domain/settlement/candidate.ts'
import { match as matchInTurn } from '../../../src/domain/settlement/matching.ts'

/** The outcomes in the order of the transfers. */
function match(...given: Parameters<typeof matchInTurn>): readonly Match[] {
  const keys = given[1].map(({ key }) => key)
  return matchInTurn(...given).toSorted((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key))
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
    acceptsPayment: true,
    isOpen: true,
    ...over,
  }
}

function transfer(over: Partial<Incoming> = {}): Incoming {
  return {
    key: 't1',
    txHash: '0x01',
    from: '0xee',
    to: '0xaa',
    usdcBase: 100n,
    blockTimeMs: 2_000,
    namedInvoiceIds: [],
    ...over,
  }
}

const byAmount = { key: 't1', invoiceId: 'a1', matchedBy: 'amount' } as const
const byReference = { key: 't1', invoiceId: 'a1', matchedBy: 'reference' } as const
const unmatched = { key: 't1', heldAs: 'unmatched' } as const
const ambiguous = { key: 't1', heldAs: 'ambiguous' } as const

describe('the amount rule', () => {
  test('credits the one open invoice that is due exactly this', () => {
    expect(match('base', [transfer()], [candidate()])).toEqual([byAmount])
  })

  test('credits nobody with a transfer that has bought something', () => {
    expect(match('base', [transfer({ isUsedForX402: true })], [candidate()])).toEqual([unmatched])
    const named = transfer({ isUsedForX402: true, namedInvoiceIds: ['a1'] })
    expect(match('base', [named], [candidate()])).toEqual([unmatched])
  })

  test('credits nobody with what is moved on from the address of an invoice, unless that is named or claimed', () => {
    const moved = transfer({ isMovedOn: true })
    expect(match('base', [moved], [candidate()])).toEqual([unmatched])
    const named = { ...moved, namedInvoiceIds: ['a1'] }
    expect(match('base', [named], [candidate()])).toEqual([byReference])
  })

  test('takes the oldest of one account', () => {
    const newer = candidate({ invoiceId: 'a2', createdAtMs: 1_500 })
    expect(match('base', [transfer()], [newer, candidate()])).toEqual([byAmount])
  })

  test('never gives a payment to one of two accounts: it is held as ambiguous', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
    expect(match('base', [transfer()], [candidate(), stranger])).toEqual([ambiguous])
  })

  describe('with an expired invoice', () => {
    const expired = candidate({ createdAtMs: 1, isOpen: false, dueAtMs: 1_500 })
    const open = candidate({ invoiceId: 'b1', accountId: 'B' })

    test('pays it where no open one is due this', () => {
      expect(match('base', [transfer()], [expired])).toEqual([byAmount])
    })

    test('gives late money to no stranger who has an open invoice', () => {
      for (const isOlder of [true, false]) {
        const strangers = { ...open, createdAtMs: isOlder ? 0 : 1_999 }
        expect(match('base', [transfer()], [expired, strangers])).toEqual([ambiguous])
      }
    })

    test('takes an open one of the same account first', () => {
      const own = { ...open, accountId: 'A' }
      expect(match('base', [transfer()], [expired, own])).toEqual([
        { ...byAmount, invoiceId: 'b1' },
      ])
    })

    describe('that was still open when the payment’s block was', () => {
      const since = { ...expired, dueAtMs: 2_000 }
      const own = { ...open, accountId: 'A' }

      test('pays it as if it were open: it is older than the open one of its account', () => {
        expect(match('base', [transfer()], [since, own])).toEqual([byAmount])
        expect(match('base', [transfer({ blockTimeMs: 2_001 })], [since, own])).toEqual([
          { ...byAmount, invoiceId: 'b1' },
        ])
      })

      test('pays the open one of its account that is older', () => {
        const older = { ...own, createdAtMs: 0 }
        expect(match('base', [transfer()], [since, older])).toEqual([
          { ...byAmount, invoiceId: 'b1' },
        ])
      })

      test('pays it before what had expired by then', () => {
        const before = { ...expired, invoiceId: 'a0', createdAtMs: 0 }
        const all = [before, since, own]
        const two = [transfer(), transfer({ key: 't2' }), transfer({ key: 't3' })]
        expect(match('base', two, all)).toEqual([
          byAmount,
          { ...byAmount, key: 't2', invoiceId: 'b1' },
          { ...byAmount, key: 't3', invoiceId: 'a0' },
        ])
      })

      test('pays the older of two that name the sender', () => {
        const naming = [since, own].map((one) => ({ ...one, payer: '0xee' }))
        expect(match('base', [transfer()], naming)).toEqual([{ ...byAmount, matchedBy: 'payer' }])
      })

      test('holds a payment that an open one of another account is due as well', () => {
        expect(match('base', [transfer()], [since, open])).toEqual([ambiguous])
      })

      test('is held up by no other account’s that had long expired', () => {
        const longAgo = { ...open, isOpen: false, dueAtMs: 2_000 - lateMoneyMs }
        expect(match('base', [transfer()], [since, longAgo])).toEqual([byAmount])
      })
    })

    test('is told from an open one by the time of the block, though nothing has expired it yet', () => {
      const overdue = { ...expired, isOpen: true }
      const own = { ...open, accountId: 'A', dueAtMs: 9_000 }
      expect(match('base', [transfer()], [overdue, own])).toEqual([
        { ...byAmount, invoiceId: 'b1' },
      ])
      expect(match('base', [transfer({ blockTimeMs: 1_500 })], [overdue, own])).toEqual([byAmount])
      expect(match('base', [transfer()], [overdue])).toEqual([byAmount])
      expect(match('base', [transfer()], [overdue, open])).toEqual([ambiguous])
    })

    test('that names the sender comes after an open one that does, though nothing has expired it yet', () => {
      const overdue = { ...expired, isOpen: true }
      const own = { ...open, accountId: 'A', dueAtMs: 9_000 }
      const naming = [overdue, own].map((one) => ({ ...one, payer: '0xee' }))
      expect(match('base', [transfer()], naming)).toEqual([
        { ...byAmount, invoiceId: 'b1', matchedBy: 'payer' },
      ])
    })

    test('holds nobody else’s payment when its due date is long past, as it may never be paid', () => {
      const paid = (blockTimeMs: number) => transfer({ blockTimeMs })
      const atLast = paid(1_500 + lateMoneyMs - 1)
      expect(match('base', [atLast], [expired, open])).toEqual([ambiguous])
      const after = paid(1_500 + lateMoneyMs)
      expect(match('base', [after], [expired, open])).toEqual([{ ...byAmount, invoiceId: 'b1' }])
      expect(match('base', [after], [expired])).toEqual([byAmount])
    })

    test('holds a payment though an older one of its account is long past its due date', () => {
      const old = { ...expired, invoiceId: 'a0', createdAtMs: 0, dueAtMs: 1_500 - lateMoneyMs }
      expect(match('base', [transfer()], [old, expired, open])).toEqual([ambiguous])
    })

    test('holds no payment that comes after its own', () => {
      const named = transfer({ namedInvoiceIds: ['a1'] })
      const plain = transfer({ key: 't2' })
      expect(match('base', [named, plain], [expired, open])).toEqual([
        byReference,
        { key: 't2', invoiceId: 'b1', matchedBy: 'amount' },
      ])
    })
  })

  test('counts an invoice made in the second of the block, which names no finer time', () => {
    expect(match('base', [transfer()], [candidate({ createdAtMs: 2_999 })])).toEqual([byAmount])
  })

  test('never credits an invoice made after the second of the block', () => {
    expect(match('base', [transfer()], [candidate({ createdAtMs: 3_000 })])).toEqual([unmatched])
  })

  test('credits nobody while an invoice of another account was made about when the block was', () => {
    const [soon, later] = [2_999 + clockSkewMs, 3_000 + clockSkewMs]
    const real = candidate({ createdAtMs: soon })
    for (const isOpen of [true, false]) {
      const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1, isOpen })
      expect(match('base', [transfer()], [stranger, real])).toEqual([ambiguous])
      const after = { ...real, createdAtMs: later }
      const credited = [{ ...byAmount, invoiceId: 'b1' }]
      expect(match('base', [transfer()], [stranger, after])).toEqual(credited)
    }
  })

  test('takes the oldest of one account though another of its invoices was made about when the block was', () => {
    const newer = candidate({ invoiceId: 'a2', createdAtMs: 3_000 })
    for (const isOpen of [true, false])
      expect(match('base', [transfer()], [newer, candidate({ isOpen })])).toEqual([byAmount])
  })

  test('gives a payment of an open invoice to no other account, if clocks differ by less than the skew allowed', () => {
    const moment = fc.integer({ min: 0, max: 10_000 })
    const stranger = fc.record({ createdAtMs: fc.integer({ max: 80_000 }), isOpen: fc.boolean() })
    const clockMs = fc.integer({ min: -clockSkewMs, max: clockSkewMs })
    fc.assert(
      fc.property(
        moment,
        moment,
        clockMs,
        fc.array(stranger, { maxLength: 3 }),
        (madeAtMs, waitMs, aheadMs, others) => {
          const real = candidate({ createdAtMs: madeAtMs + aheadMs })
          const strangers = others.map((over, at) =>
            candidate({ invoiceId: `b${at}`, accountId: `B${at}`, ...over }),
          )
          const blockTimeMs = Math.floor((madeAtMs + waitMs) / 1_000) * 1_000
          const [found] = match('base', [transfer({ blockTimeMs })], [...strangers, real])
          expect(found).toEqual(
            found && 'invoiceId' in found ? byAmount : { key: 't1', heldAs: expect.any(String) },
          )
        },
      ),
    )
  })

  test.each([
    ['one unit short', { usdcBase: 99n }, {}],
    ['one unit over', { usdcBase: 101n }, {}],
    ['another address', { to: '0xbb' }, {}],
    ['another chain', {}, { chain: 'polygon' }],
    ['a closed invoice', {}, { acceptsPayment: false }],
    ['an invoice that has received something', {}, { receivedUsdcBase: 1n }],
  ])('%s matches nothing', (_, over, of) => {
    expect(match('base', [transfer(over)], [candidate(of)])).toEqual([unmatched])
  })

  test('as many transfers as expired invoices read each invoice a few times, not all for each', () => {
    let read = 0
    const expired = Array.from({ length: 500 }, (_, at) => ({
      ...candidate({ invoiceId: `a${at}`, isOpen: false }),
      get dueAtMs() {
        read++
        return 1_500
      },
    }))
    const transfers = expired.map((_, at) => transfer({ key: `t${at}` }))
    expect(match('base', transfers, expired).every((one) => 'invoiceId' in one)).toBe(true)
    expect(read).toBeLessThan(5 * expired.length)
  })

  describe('with an invoice that has received dust', () => {
    const dusty = candidate({ dueUsdcBase: 10_000n, receivedUsdcBase: 99n, paymentsBySize: [0, 1] })
    const paid = transfer({ usdcBase: 10_000n })

    test('pays it by what was due before: anybody can send dust that names it', () => {
      expect(match('base', [paid], [dusty])).toEqual([byAmount])
      const dust = transfer({ key: 't0', usdcBase: 1n, namedInvoiceIds: ['a1'] })
      const clean = { ...dusty, receivedUsdcBase: 0n, paymentsBySize: [] }
      expect(match('base', [dust, paid], [clean])).toEqual([
        { ...byReference, key: 't0' },
        byAmount,
      ])
      expect(match('base', [paid], [{ ...dusty, payer: '0xee' }])).toEqual([
        { ...byAmount, matchedBy: 'payer' },
      ])
    })

    test('pays it once, and not by what is left', () => {
      const again = { ...paid, key: 't2' }
      expect(match('base', [paid, again], [dusty])).toEqual([byAmount, { ...unmatched, key: 't2' }])
      expect(match('base', [transfer({ usdcBase: 9_901n })], [dusty])).toEqual([unmatched])
    })

    test('pays it not where a hundredth of what is due has come: that is a part of it', () => {
      const part = { ...dusty, receivedUsdcBase: 100n }
      expect(match('base', [paid], [part])).toEqual([unmatched])
    })

    test('never gives its payment to another account, nor another’s to it', () => {
      const other = candidate({ invoiceId: 'b1', accountId: 'B', dueUsdcBase: 10_000n })
      expect(match('base', [paid], [dusty, other])).toEqual([ambiguous])
    })
  })

  test('two transfers pay two invoices, a third none', () => {
    const two = [candidate(), candidate({ invoiceId: 'a2', createdAtMs: 1_500 })]
    const three = ['t1', 't2', 't3'].map((key) => transfer({ key }))
    expect(match('base', three, two)).toEqual([
      byAmount,
      { key: 't2', invoiceId: 'a2', matchedBy: 'amount' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })
})

describe('the reference rule', () => {
  const named = transfer({ namedInvoiceIds: ['a1'] })

  test('credits the named invoice, whatever the amount and whoever else is due the same', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
    expect(match('base', [named], [candidate(), stranger])).toEqual([byReference])
    expect(match('base', [{ ...named, usdcBase: 7n }], [candidate()])).toEqual([{ ...byReference }])
  })

  test('adds up until the invoice is covered; what comes after is unmatched', () => {
    const parts = ['t1', 't2', 't3'].map((key) =>
      transfer({ key, usdcBase: 50n, namedInvoiceIds: ['a1'] }),
    )
    expect(match('base', parts, [candidate()])).toEqual([
      byReference,
      { ...byReference, key: 't2' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })

  test('a transfer that names an invoice never falls to the amount rule', () => {
    const closed = candidate({ invoiceId: 'b1', accountId: 'B', acceptsPayment: false })
    const naming = transfer({ namedInvoiceIds: ['b1'] })
    expect(match('base', [naming], [candidate(), closed])).toEqual([unmatched])
    expect(match('base', [transfer({ namedInvoiceIds: ['unknown'] })], [candidate()])).toEqual([
      unmatched,
    ])
  })

  test('two different names are ambiguous, the same name twice is one', () => {
    const other = candidate({ invoiceId: 'a2' })
    expect(
      match('base', [transfer({ namedInvoiceIds: ['a1', 'a2'] })], [candidate(), other]),
    ).toEqual([ambiguous])
    expect(match('base', [transfer({ namedInvoiceIds: ['a1', 'a1'] })], [candidate()])).toEqual([
      byReference,
    ])
  })

  test('an invoice taken by reference is no longer there for the amount rule', () => {
    expect(match('base', [named, transfer({ key: 't2' })], [candidate()])).toEqual([
      byReference,
      { key: 't2', heldAs: 'unmatched' },
    ])
  })
})

describe('the address rule', () => {
  const alone = candidate({ payTo: '0xd1', hasOwnAddress: true })
  const paid = (over: Partial<Incoming> = {}) => transfer({ to: '0xd1', ...over })
  const byAddress = { key: 't1', invoiceId: 'a1', matchedBy: 'address' } as const

  test.each([
    ['the amount due', 100n],
    ['less', 1n],
    ['more', 1_000n],
  ])('credits %s to the invoice whose address it is', (_, usdcBase) => {
    expect(match('base', [paid({ usdcBase })], [alone])).toEqual([byAddress])
  })

  test('adds up until the invoice is covered; what comes then is held', () => {
    const parts = ['t1', 't2', 't3'].map((key) => paid({ key, usdcBase: 60n }))
    expect(match('base', parts, [alone])).toEqual([
      byAddress,
      { ...byAddress, key: 't2' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })

  test('is behind a reference that says the same', () => {
    expect(match('base', [paid({ namedInvoiceIds: ['a1'] })], [alone])).toEqual([byReference])
  })

  test('wins whatever else the transfer names, is claimed for or could pay by its amount', () => {
    const claims = [
      { txHash: '0x01', payer: '0xee', madeBy: 'claim', madeAtMs: 1, usdcBase: null },
    ] as const
    const others = [
      candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 }),
      candidate({ invoiceId: 'b2', accountId: 'B', payTo: '0xd2', hasOwnAddress: true, claims }),
    ]
    for (const namedInvoiceIds of [[], ['b1'], ['b2'], ['a1', 'b1'], ['nobody']]) {
      expect(match('base', [paid({ namedInvoiceIds })], [alone, ...others])).toEqual([byAddress])
    }
  })

  test('gives a closed or covered invoice’s money to nobody else', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', payTo: '0xd1', createdAtMs: 1 })
    for (const over of [{ acceptsPayment: false }, { receivedUsdcBase: 100n }]) {
      expect(match('base', [paid()], [{ ...alone, ...over }, stranger])).toEqual([unmatched])
    }
  })

  test('counts on its own chain only, and never for what has bought something', () => {
    expect(match('polygon', [paid()], [alone])).toEqual([unmatched])
    expect(match('base', [paid({ isUsedForX402: true })], [alone])).toEqual([unmatched])
  })

  test('an expired invoice is paid late', () => {
    expect(match('base', [paid()], [{ ...alone, isOpen: false }])).toEqual([byAddress])
  })
})

describe('the claim rule', () => {
  const claim: Claim = {
    txHash: '0x01',
    payer: '0xee',
    madeBy: 'claim',
    madeAtMs: 5_000,
    usdcBase: null,
  }
  const byClaim = { key: 't1', invoiceId: 'a1', matchedBy: 'claim' } as const

  test('credits the claimed invoice, whatever the amount and whoever else is due the same', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
    const claimed = candidate({ claims: [claim] })
    expect(match('base', [transfer()], [claimed, stranger])).toEqual([byClaim])
    expect(match('base', [transfer({ usdcBase: 7n })], [claimed])).toEqual([byClaim])
  })

  test('of an operator is for one transfer of the transaction, of the amount he meant', () => {
    const said: Claim = { ...claim, madeBy: 'operator', usdcBase: 7n }
    const assigned = candidate({ claims: [said] })
    const sent = [9n, 7n, 7n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    const byOperator = { key: 't1', invoiceId: 'a1', matchedBy: 'operator' } as const
    const held = (key: string) => ({ key, heldAs: 'unmatched' }) as const
    expect(match('base', sent, [assigned])).toEqual([held('t0'), byOperator, held('t2')])
    expect(match('base', sent, [{ ...assigned, claims: [said, { ...said }] }])).toEqual([
      held('t0'),
      byOperator,
      { ...byOperator, key: 't2' },
    ])
  })

  test('of an operator leaves the other transfers to the later rules', () => {
    const assigned = candidate({
      invoiceId: 'b1',
      claims: [{ ...claim, madeBy: 'operator', usdcBase: 7n }],
    })
    expect(match('base', [transfer()], [assigned, candidate()])).toEqual([byAmount])
  })

  test('a reference comes first', () => {
    const claimed = candidate({ invoiceId: 'b1', accountId: 'B', claims: [claim] })
    const named = transfer({ namedInvoiceIds: ['a1'] })
    expect(match('base', [named], [candidate(), claimed])).toEqual([byReference])
  })

  test('and where the reference names what takes no more, or two, the claim decides', () => {
    const claimed = candidate({ invoiceId: 'b1', accountId: 'B', claims: [claim] })
    const closed = candidate({ acceptsPayment: false })
    const credited = [{ ...byClaim, invoiceId: 'b1' }]
    const named = transfer({ namedInvoiceIds: ['a1'] })
    expect(match('base', [named], [closed, claimed])).toEqual(credited)
    const torn = transfer({ namedInvoiceIds: ['a1', 'a2'] })
    expect(match('base', [torn], [candidate(), claimed])).toEqual(credited)
  })

  test.each([
    ['another sender’s transfer', { from: '0xff' }],
    ['another transaction', { txHash: '0x02' }],
  ])('does not count for %s, which the amount rule takes', (_, over) => {
    const claimed = candidate({ claims: [claim] })
    expect(match('base', [transfer(over)], [claimed])).toEqual([byAmount])
    expect(match('base', [transfer({ ...over, usdcBase: 7n })], [claimed])).toEqual([unmatched])
  })

  test.each([
    ['another address', { payTo: '0xbb' }],
    ['a closed invoice', { acceptsPayment: false }],
    ['a covered invoice', { receivedUsdcBase: 100n }],
  ])('of %s holds the transfer: nothing else takes what was meant for it', (_, over) => {
    const claimed = candidate({ invoiceId: 'b1', claims: [claim], ...over })
    expect(match('base', [transfer()], [claimed, candidate()])).toEqual([unmatched])
  })

  test('of a payer is for the one of his transfers that is what is due, and leaves the others', () => {
    const claimed = candidate({ claims: [claim] })
    const sent = [40n, 100n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    expect(match('base', sent, [claimed])).toEqual([
      { key: 't0', heldAs: 'unmatched' },
      { ...byClaim, key: 't1' },
    ])
  })

  test('takes a part where the one that is what is due names another invoice', () => {
    const claimed = candidate({ claims: [claim] })
    const named = candidate({ invoiceId: 'b1' })
    const sent = [
      transfer({ key: 't0', usdcBase: 40n }),
      transfer({ namedInvoiceIds: ['b1'] }),
      transfer({ key: 't2', usdcBase: 50n }),
    ]
    expect(match('base', sent, [claimed, named])).toEqual([
      { ...byClaim, key: 't0' },
      { ...byReference, invoiceId: 'b1' },
      { ...byClaim, key: 't2' },
    ])
  })

  test('takes of several transfers, claimed for as many invoices, the one that is what is due', () => {
    const both = [
      candidate({ invoiceId: 'a2', claims: [{ ...claim, madeAtMs: 1 }] }),
      candidate({ dueUsdcBase: 40n, claims: [claim] }),
    ]
    const sent = [40n, 100n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    const credited = [
      { ...byClaim, key: 't0' },
      { ...byClaim, key: 't1', invoiceId: 'a2' },
    ]
    expect(match('base', sent, both)).toEqual(credited)
    expect(match('base', sent.toReversed(), both)).toEqual(credited.toReversed())
  })

  test('of an operator is for his transfer, though a payer has claimed for what is due as much', () => {
    const said: Claim = { ...claim, madeBy: 'operator', madeAtMs: 1, usdcBase: 40n }
    const both = [
      candidate({ dueUsdcBase: 40n, claims: [claim] }),
      candidate({ invoiceId: 'a2', claims: [said] }),
    ]
    expect(match('base', [transfer({ usdcBase: 40n })], both)).toEqual([
      { key: 't1', invoiceId: 'a2', matchedBy: 'operator' },
    ])
  })

  test('gives each of two invoices that are due the same its own: the one exactly that, the other a part', () => {
    const due = [6_000, 5_000].map((madeAtMs, n) =>
      candidate({ invoiceId: `a${n}`, claims: [{ ...claim, madeAtMs }] }),
    )
    const sent = [70n, 100n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    const credited = [
      { ...byClaim, key: 't0', invoiceId: 'a0' },
      { ...byClaim, key: 't1' },
    ]
    expect(match('base', sent, due)).toEqual(credited)
    expect(match('base', sent.toReversed(), due)).toEqual(credited.toReversed())
  })

  test('tells in which order an invoice takes what is claimed for it and what names it', () => {
    const sent = [
      transfer({ usdcBase: 80n }),
      transfer({ key: 't2', usdcBase: 30n, namedInvoiceIds: ['a1'] }),
    ]
    expect(matchInTurn('base', sent, [candidate({ claims: [claim] })])).toEqual([
      { ...byReference, key: 't2' },
      byClaim,
    ])
  })

  test('takes parts only until one is exactly what is left then', () => {
    const sent = [20n, 40n, 80n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    expect(match('base', sent, [candidate({ claims: [claim] })])).toEqual([
      { ...byClaim, key: 't0' },
      { key: 't1', heldAs: 'unmatched' },
      { ...byClaim, key: 't2' },
    ])
  })

  test('made first takes first, though a later one is due exactly one of the transfers', () => {
    const due = [
      candidate({ dueUsdcBase: 60n, claims: [claim] }),
      candidate({ invoiceId: 'a2', dueUsdcBase: 40n, claims: [{ ...claim, madeAtMs: 6_000 }] }),
    ]
    const sent = [40n, 20n].map((usdcBase, n) => transfer({ key: `t${n}`, usdcBase }))
    expect(match('base', sent, due)).toEqual([
      { ...byClaim, key: 't0' },
      { ...byClaim, key: 't1' },
    ])
  })

  test('adds up until the invoice is covered, then goes on to what was claimed next', () => {
    const next = candidate({ invoiceId: 'a2', claims: [{ ...claim, madeAtMs: 6_000 }] })
    const parts = ['t1', 't2', 't3'].map((key) => transfer({ key, usdcBase: 60n }))
    expect(match('base', parts, [next, candidate({ claims: [claim] })])).toEqual([
      byClaim,
      { ...byClaim, key: 't2' },
      { ...byClaim, key: 't3', invoiceId: 'a2' },
    ])
  })
})

describe('an invoice that has as many part payments of a size as it takes', () => {
  const dusty = { dueUsdcBase: 1_000n, receivedUsdcBase: 100n, paymentsBySize: [0, 100] }
  const claims: readonly Claim[] = [
    { txHash: '0x01', payer: '0xee', madeBy: 'claim', madeAtMs: 1, usdcBase: null },
  ]
  const rules: readonly [MatchedBy, Partial<Incoming>, Partial<Candidate>][] = [
    ['reference', { namedInvoiceIds: ['a1'] }, {}],
    ['address', {}, { hasOwnAddress: true }],
    ['claim', {}, { claims }],
  ]

  test.each(rules)(
    'takes by %s what is a hundredth of what is due, and holds what is less',
    (matchedBy, named, over) => {
      const invoice = candidate({ ...dusty, ...over })
      const parts = [10n, 9n].map((usdcBase) => transfer({ ...named, usdcBase }))
      expect(match('base', parts, [invoice])).toEqual([
        { key: 't1', invoiceId: 'a1', matchedBy },
        unmatched,
      ])
    },
  )

  test('takes what is less where it completes what is due', () => {
    const invoice = candidate({ ...dusty, receivedUsdcBase: 991n })
    const parts = [8n, 9n].map((usdcBase) => transfer({ namedInvoiceIds: ['a1'], usdcBase }))
    expect(match('base', parts, [invoice])).toEqual([unmatched, byReference])
  })

  test('counts those of the same step', () => {
    const invoice = candidate({
      dueUsdcBase: 1_000n,
      receivedUsdcBase: 98n,
      paymentsBySize: [0, 98],
    })
    const parts = [1n, 1n, 1n, 10n].map((usdcBase) =>
      transfer({ namedInvoiceIds: ['a1'], usdcBase }),
    )
    expect(match('base', parts, [invoice])).toEqual([
      byReference,
      byReference,
      unmatched,
      byReference,
    ])
  })

  test('takes what is much larger: dust uses up the places of dust alone', () => {
    const dust = Array.from({ length: 101 }, (_, at) => ({ key: `d${at}`, usdcBase: 1n }))
    const honest = [1_000_000n, 499_000_000n].map((usdcBase) => ({ key: `h${usdcBase}`, usdcBase }))
    const all = [...dust, ...honest].map((one) => transfer({ ...one, namedInvoiceIds: ['a1'] }))
    const invoice = candidate({ dueUsdcBase: 500_000_000n })
    const held = match('base', all, [invoice]).filter((one) => 'heldAs' in one)
    expect(held).toEqual([{ key: 'd100', heldAs: 'unmatched' }])
  })

  test('keeps what it had before a reorganisation', () => {
    const paidBefore = [{ invoiceId: 'a1', matchedBy: 'reference' }] as const
    const part = transfer({ namedInvoiceIds: ['a1'], usdcBase: 1n })
    expect(match('base', [{ ...part, paidBefore }], [candidate(dusty)])).toEqual([byReference])
    const another = [{ invoiceId: 'a2', matchedBy: 'reference' }] as const
    expect(match('base', [{ ...part, paidBefore: another }], [candidate(dusty)])).toEqual([
      unmatched,
    ])
  })

  test('keeps of transfers that are alike as many as it had before a reorganisation', () => {
    const paidBefore = [1, 2].map(() => ({ invoiceId: 'a1', matchedBy: 'reference' }) as const)
    const part = transfer({ namedInvoiceIds: ['a1'], usdcBase: 1n, paidBefore })
    expect(match('base', [part, part, part], [candidate(dusty)])).toEqual([
      byReference,
      byReference,
      unmatched,
    ])
  })

  test('never has more than some hundreds of all sizes', () => {
    const sizes = [1n, 99n, 100n, 9_999n, 10_000n]
    const parts = sizes.flatMap((usdcBase) =>
      Array.from({ length: 101 }, () => transfer({ namedInvoiceIds: ['a1'], usdcBase })),
    )
    const matches = match('base', parts, [candidate({ dueUsdcBase: 1_000_000n })])
    // A hundred of each class below a hundredth of what is due, and 99 hundredths of the rest.
    expect(matches.filter((one) => 'invoiceId' in one)).toHaveLength(299)
  })
})

describe('the payer rule', () => {
  const byPayer = { key: 't1', invoiceId: 'a2', matchedBy: 'payer' } as const
  const expecting = candidate({ invoiceId: 'a2', createdAtMs: 1_500, payer: '0xee' })

  test('prefers the invoice that names the sender to an older one of the same account', () => {
    expect(match('base', [transfer()], [candidate(), expecting])).toEqual([byPayer])
    expect(match('base', [transfer()], [expecting])).toEqual([byPayer])
  })

  test('never wins against another account: naming somebody else’s payer gains nothing', () => {
    const thief = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1, payer: '0xee' })
    expect(match('base', [transfer()], [candidate(), thief])).toEqual([ambiguous])
    expect(match('base', [transfer()], [expecting, thief])).toEqual([ambiguous])
  })

  test('prefers an expired invoice that names the sender to an open one that does not', () => {
    const late = { ...expecting, isOpen: false, dueAtMs: 1_600 }
    for (const payer of [null, '0xff'])
      expect(match('base', [transfer()], [candidate({ payer }), late])).toEqual([byPayer])
  })

  test('prefers an open invoice that names the sender to an expired one that does', () => {
    const late = { ...expecting, invoiceId: 'a0', createdAtMs: 1, isOpen: false, dueAtMs: 1_600 }
    expect(match('base', [transfer()], [late, expecting])).toEqual([byPayer])
  })

  test('takes no payment from another account’s open invoice long after the due date', () => {
    const dueAtMs = 1_600 - lateMoneyMs
    const late = candidate({
      invoiceId: 'b1',
      accountId: 'B',
      payer: '0xee',
      isOpen: false,
      dueAtMs,
    })
    expect(match('base', [transfer()], [late, candidate()])).toEqual([byAmount])
  })

  test.each([
    ['another amount', { usdcBase: 99n }],
    ['an earlier block', { blockTimeMs: 0 }],
  ])('does not count for %s', (_, over) => {
    expect(match('base', [transfer(over)], [expecting])).toEqual([unmatched])
  })

  test('another sender pays by amount alone', () => {
    const paid = { ...byAmount, invoiceId: 'a2' }
    expect(match('base', [transfer({ from: '0xff' })], [expecting])).toEqual([paid])
  })

  test('two transfers of one sender pay what names it first, then the oldest', () => {
    const two = [transfer(), transfer({ key: 't2' })]
    expect(match('base', two, [candidate(), expecting])).toEqual([
      byPayer,
      { ...byAmount, key: 't2' },
    ])
  })
})

describe('what was credited before a reorganisation', () => {
  const newer = candidate({ invoiceId: 'a2', createdAtMs: 1_500 })
  const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
  const before = { invoiceId: 'a2', matchedBy: 'payer' } as const
  const back = transfer({ paidBefore: [before] })
  const again = { key: 't1', ...before }

  test('pays the same by the same rule, whoever else is due as much', () => {
    expect(match('base', [back], [candidate(), newer, stranger])).toEqual([again])
  })

  test('pays it late where it has expired', () => {
    expect(match('base', [back], [candidate(), { ...newer, isOpen: false }])).toEqual([again])
  })

  test.each([
    ['closed', { acceptsPayment: false }],
    ['covered', { receivedUsdcBase: 100n }],
    ['on another chain', { chain: 'polygon' }],
    ['at another address', { payTo: '0xbb' }],
  ])('is held where that is %s, whatever else is due', (_, over) => {
    expect(match('base', [back], [candidate(), { ...newer, ...over }])).toEqual([unmatched])
  })

  test('pays each of its invoices once, where it was several transfers that are alike', () => {
    const paidBefore = [before, { invoiceId: 'b1', matchedBy: 'amount' }] as const
    const alike = ['t1', 't2', 't3'].map((key) => transfer({ key, paidBefore }))
    expect(match('base', alike, [candidate(), newer, stranger])).toEqual([
      again,
      { key: 't2', invoiceId: 'b1', matchedBy: 'amount' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })

  test('is behind what is claimed for it while it was gone, unless it was paid by its name', () => {
    const since = [
      {
        txHash: '0x01',
        payer: '0xee',
        madeBy: 'claim',
        madeAtMs: 1,
        usdcBase: null,
        isSince: true,
      },
    ] as const
    const claimed = candidate({ claims: since })
    expect(match('base', [back], [claimed, newer])).toEqual([
      { key: 't1', invoiceId: 'a1', matchedBy: 'claim' },
    ])
    expect(match('base', [back], [{ ...claimed, acceptsPayment: false }, newer])).toEqual([again])
    const paidBefore = [{ invoiceId: 'a2', matchedBy: 'reference' }] as const
    const named = transfer({ namedInvoiceIds: ['a2'], paidBefore })
    expect(match('base', [named], [claimed, newer])).toEqual([{ key: 't1', ...paidBefore[0] }])
  })

  test('leaves to such a claim the one that is what is due, and keeps its own', () => {
    const claims = [
      {
        txHash: '0x01',
        payer: '0xee',
        madeBy: 'claim',
        madeAtMs: 1,
        usdcBase: null,
        isSince: true,
      },
    ] as const
    const claimed = candidate({ invoiceId: 'b1', accountId: 'B', dueUsdcBase: 40n, claims })
    const other = transfer({ key: 't2', usdcBase: 40n, heldAs: 'unmatched' })
    expect(match('base', [back, other], [claimed, newer])).toEqual([
      again,
      { key: 't2', invoiceId: 'b1', matchedBy: 'claim' },
    ])
  })
})

describe('what a reorganisation moves, or takes away and brings back,', () => {
  const claim: Claim = {
    txHash: '0x01',
    payer: '0xee',
    madeBy: 'claim',
    madeAtMs: 1,
    usdcBase: null,
  }
  const assigned: Claim = { ...claim, madeBy: 'operator', usdcBase: 100n }
  const paid = (invoiceId: string, matchedBy: MatchedBy) => [{ invoiceId, matchedBy }]

  test('keeps what it paid by its amount, though another of its transaction was claimed since', () => {
    const sent = [
      transfer({ paidBefore: paid('a1', 'amount') }),
      transfer({ key: 't2', usdcBase: 200n, paidBefore: paid('b1', 'claim') }),
    ]
    const claimed = candidate({ invoiceId: 'b1', dueUsdcBase: 200n, claims: [claim] })
    const credited = [byAmount, { key: 't2', invoiceId: 'b1', matchedBy: 'claim' }] as const
    expect(match('base', sent, [candidate(), claimed])).toEqual(credited)
    expect(match('base', sent.toReversed(), [candidate(), claimed])).toEqual(credited.toReversed())
    const covered = { ...claimed, receivedUsdcBase: 200n, acceptsPayment: false }
    expect(match('base', sent, [candidate(), covered])).toEqual([
      byAmount,
      { key: 't2', heldAs: 'unmatched' },
    ])
  })

  test('keeps what it paid, though one that is alike was assigned; a third one stays held', () => {
    const paidBefore = [...paid('a1', 'amount'), ...paid('b1', 'operator')]
    const sent = ['t1', 't2', 't3'].map((key) => transfer({ key, paidBefore }))
    const part = candidate({ invoiceId: 'b1', dueUsdcBase: 500n, claims: [assigned] })
    expect(match('base', sent, [candidate(), part])).toEqual([
      byAmount,
      { key: 't2', invoiceId: 'b1', matchedBy: 'operator' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })

  test('keeps what it paid by its amount, though another was claimed for what is due more now', () => {
    const sent = [
      transfer({ paidBefore: paid('a1', 'amount') }),
      transfer({ key: 't2', usdcBase: 200n, paidBefore: paid('b1', 'claim') }),
    ]
    const claimed = candidate({ invoiceId: 'b1', dueUsdcBase: 250n, claims: [claim] })
    expect(match('base', sent, [candidate(), claimed])).toEqual([
      byAmount,
      { key: 't2', invoiceId: 'b1', matchedBy: 'claim' },
    ])
  })

  test('keeps what it was assigned to, though what it names is open for a moment', () => {
    const sent = [
      transfer({ namedInvoiceIds: ['a1'], paidBefore: paid('b1', 'operator') }),
      transfer({
        key: 't2',
        txHash: '0x02',
        namedInvoiceIds: ['a1'],
        paidBefore: paid('a1', 'reference'),
      }),
    ]
    const other = candidate({ invoiceId: 'b1', claims: [assigned] })
    expect(match('base', sent, [candidate(), other])).toEqual([
      { key: 't1', invoiceId: 'b1', matchedBy: 'operator' },
      { ...byReference, key: 't2' },
    ])
  })

  test('pays what was claimed where nothing is due any more of what it paid', () => {
    const sent = [transfer({ paidBefore: paid('a1', 'amount') })]
    const claimed = candidate({ invoiceId: 'b1', claims: [claim] })
    expect(match('base', sent, [candidate({ acceptsPayment: false }), claimed])).toEqual([
      { key: 't1', invoiceId: 'b1', matchedBy: 'claim' },
    ])
  })
})
