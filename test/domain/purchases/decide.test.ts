import { describe, expect, test } from 'bun:test'
import { type Command, decide } from '../../../src/domain/purchases/decide.ts'
import type { Delivery } from '../../../src/domain/purchases/delivery.ts'
import { evolve } from '../../../src/domain/purchases/evolve.ts'
import {
  attemptLimitMs,
  isAbandoned,
  isDeliveryUnderWay,
  longestStreamMs,
  type Payment,
  type Purchase,
  quote,
  type State,
  states,
} from '../../../src/domain/purchases/purchase.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const minuteMs = 60_000
const dayMs = 86_400_000
const reservation = { id: 'r', amountMinor: 1n, currency: 'USD' }
const requirements = { network: 'base', payTo: `0x${'5e'.repeat(20)}`, usdcBase: 10_000n } as const

const signer = { payer: '0xa', nonce: '0x1', message: null }
const first = { ...signer, key: 'first', validBefore: null, identified: null }
const other = { ...first, key: 'other', nonce: '0x2' }
const payment: Payment = { ...first, firstForwardedAt: noon, forwardedAt: noon }

function deliveryOf(status: number, delivered: Delivery['delivered']): Delivery {
  return { bodySha256: '0x', contentLength: 0, contentType: null, status, delivered }
}

/** A purchase in a state, whose payment was forwarded at noon. */
function purchaseIn(state: State, over: Partial<Purchase> = {}): Purchase {
  const wanted = { invoiceId: 'i', accountId: 'a', resource: 'r', requirements, agentId: null }
  const quoted = quote({ ...wanted, mandateId: null, demandSha256: null }, noon)
  if (state === 'quoted') return { ...quoted, ...over }
  const settledIn = state === 'settled' ? 7 : null
  const txHash = state === 'settled' ? '0xt' : null
  return { ...quoted, state, payment, reservation, settledIn, txHash, ...over }
}

/** The purchase after a command; null: it changes nothing. */
function after(purchase: Purchase, command: Command, now = later(2 * minuteMs)): Purchase | null {
  const events = decide(purchase, command, now)
  return events.length === 0 ? null : evolve(purchase, events, now)
}

const commands = {
  'forward the same payment': { kind: 'forward', payment: first, txHash: null, agentId: null },
  'forward another payment': { kind: 'forward', payment: other, txHash: null, agentId: null },
  reserve: { kind: 'reserve', reservation },
  accept: { kind: 'accept', txHash: '0x1' },
  name: { kind: 'name', txHash: '0x1' },
  refuse: { kind: 'refuse' },
  suspend: { kind: 'suspend', txHash: null, isAnswered: true },
  deliver: { kind: 'deliver', key: 'first', attempt: null, delivery: deliveryOf(200, 'whole') },
  take_over: { kind: 'take_over' },
  see: { kind: 'see', txHash: '0x1', position: 3 },
  expire: { kind: 'expire' },
  settle: { kind: 'settle', txHash: '0x1', blockNumber: 8 },
  reopen: { kind: 'reopen' },
  'abandon at once': { kind: 'abandon' },
  'abandon after a day': { kind: 'abandon' },
  supersede: { kind: 'supersede', by: 'other' },
} as const satisfies Record<string, Command>

type Outcomes = Record<keyof typeof commands, Record<State, State | null>>

// Written by hand, for a purchase without a mandate whose attempt has died; null: nothing changes.
// biome-ignore format: a table
const outcomes: Outcomes = {
  'forward the same payment': { quoted: 'forwarding', forwarding: 'forwarding', refused: 'forwarding', unknown: 'forwarding', paid: null, settled: null, expired: 'forwarding' },
  'forward another payment': { quoted: 'forwarding', forwarding: null, refused: 'forwarding', unknown: null, paid: null, settled: null, expired: 'forwarding' },
  reserve: { quoted: null, forwarding: 'forwarding', refused: null, unknown: null, paid: null, settled: null, expired: null },
  accept: { quoted: null, forwarding: 'paid', refused: null, unknown: null, paid: 'paid', settled: null, expired: null },
  name: { quoted: null, forwarding: 'forwarding', refused: null, unknown: null, paid: 'paid', settled: null, expired: null },
  refuse: { quoted: null, forwarding: 'refused', refused: null, unknown: null, paid: null, settled: null, expired: null },
  suspend: { quoted: null, forwarding: 'unknown', refused: null, unknown: null, paid: null, settled: null, expired: null },
  deliver: { quoted: null, forwarding: null, refused: null, unknown: 'unknown', paid: 'paid', settled: null, expired: null },
  take_over: { quoted: null, forwarding: 'forwarding', refused: null, unknown: 'forwarding', paid: null, settled: null, expired: null },
  see: { quoted: null, forwarding: 'forwarding', refused: null, unknown: 'unknown', paid: 'paid', settled: null, expired: null },
  expire: { quoted: null, forwarding: 'expired', refused: null, unknown: null, paid: 'expired', settled: null, expired: null },
  settle: { quoted: null, forwarding: null, refused: null, unknown: null, paid: 'settled', settled: null, expired: null },
  reopen: { quoted: null, forwarding: null, refused: null, unknown: null, paid: null, settled: 'paid', expired: null },
  'abandon at once': { quoted: 'quoted', forwarding: null, refused: 'refused', unknown: null, paid: null, settled: null, expired: 'expired' },
  'abandon after a day': { quoted: 'quoted', forwarding: 'forwarding', refused: 'refused', unknown: 'unknown', paid: 'paid', settled: null, expired: 'expired' },
  supersede: { quoted: 'quoted', forwarding: null, refused: 'refused', unknown: null, paid: null, settled: null, expired: 'expired' },
}

// Under a mandate, what is given up is over: its amount is free for others.
const underMandate: Outcomes = {
  ...outcomes,
  'abandon at once': expiring(outcomes['abandon at once']),
  'abandon after a day': expiring(outcomes['abandon after a day']),
  supersede: expiring(outcomes.supersede),
}

function expiring(row: Record<State, State | null>) {
  const expired = ([from, to]: [string, State | null]) => [from, to && 'expired']
  return Object.fromEntries(Object.entries(row).map((entry) => expired(entry)))
}

describe.each([
  ['without a mandate', null, outcomes],
  ['under a mandate', 'mnd_1', underMandate],
] as const)('a purchase %s', (_, mandateId, table) => {
  const cells = Object.keys(commands).flatMap((name) =>
    states.map((state) => {
      const command = name as keyof typeof commands
      return [command, state, table[command][state]] as const
    }),
  )

  test.each(cells)('%s: from %s to %s', (name, state, to) => {
    const now = later(name === 'abandon after a day' ? dayMs + 1 : 2 * minuteMs)
    const before = purchaseIn(state, { mandateId })
    const changed = after(before, commands[name], now)
    expect(changed?.state ?? null).toBe(to)
    if (changed) expect(changed.version).toBe(before.version + 1)
  })

  test.each(states)('that was given up is forwarded no more, from %s', (state) => {
    const given = purchaseIn(state, { mandateId, abandonedAt: noon })
    for (const name of ['forward the same payment', 'forward another payment'] as const)
      expect(after(given, commands[name])).toBeNull()
    for (const name of ['abandon after a day', 'supersede'] as const)
      expect(after(given, commands[name], later(2 * dayMs))).toBeNull()
  })
})

describe('an attempt', () => {
  test('is left alone for a minute: nobody sends its payment again or decides for it', () => {
    const underWay = purchaseIn('forwarding')
    for (const name of ['forward the same payment', 'take_over'] as const) {
      expect(after(underWay, commands[name], later(minuteMs - 1))).toBeNull()
      expect(after(underWay, commands[name], later(minuteMs))).not.toBeNull()
    }
  })

  test.each([
    ['unknown', noon],
    ['forwarding', noon],
    ['refused', later(2 * minuteMs)],
    ['expired', later(2 * minuteMs)],
  ] as const)(
    'with a payment that was %s before may have been taken since %p',
    (state, firstForwardedAt) => {
      const again = after(purchaseIn(state), commands['forward the same payment'])
      expect(again?.payment).toMatchObject({ firstForwardedAt, forwardedAt: later(2 * minuteMs) })
    },
  )

  test('with another payment keeps nothing of the former one', () => {
    const before = purchaseIn('refused', { position: 3 })
    const again = after(before, commands['forward another payment'])
    expect(again).toMatchObject({ payment: other, reservation: null, position: null, txHash: null })
  })
})

describe('the transaction of a payment', () => {
  test('has a day to appear from when it is named first', () => {
    const named = after(purchaseIn('paid'), commands.name)
    expect(named).toMatchObject({ txHash: '0x1', payment: { forwardedAt: later(2 * minuteMs) } })
    const replaced = after(purchaseIn('paid', { txHash: '0x2' }), commands.accept)
    expect(replaced).toMatchObject({ txHash: '0x1', payment: { forwardedAt: noon } })
  })

  test('that is known of an accepted payment is not replaced by what is said', () => {
    expect(after(purchaseIn('paid', { txHash: '0x2' }), commands.name)).toBeNull()
  })

  test.each(['unknown', 'paid'] as const)('can be forgotten, and the payment stays %s', (state) => {
    const named = purchaseIn(state, { txHash: '0x1', position: 3 })
    const forgotten = after(named, { kind: 'forget' })
    expect(forgotten).toMatchObject({ state, txHash: null, position: null })
    expect(after(purchaseIn(state), { kind: 'forget' })).toBeNull()
  })

  test('holds its transfer until another one is named', () => {
    const held = purchaseIn('paid', { txHash: '0x1', position: 3 })
    expect(after(held, commands.see)).toBeNull()
    expect(after(held, commands.accept)).toBeNull()
    expect(after(held, { kind: 'accept', txHash: '0x2' })).toMatchObject({ position: null })
  })
})

describe('a purchase is given up', () => {
  test('by its account only when what was signed for it has been over for a day', () => {
    const validBefore = later(dayMs)
    const signed = purchaseIn('unknown', { payment: { ...payment, validBefore } })
    expect(after(signed, commands['abandon at once'], later(2 * dayMs))).toBeNull()
    expect(after(signed, commands['abandon at once'], later(2 * dayMs + 1))).not.toBeNull()
  })

  test('never while the chain shows a transfer that pays it', () => {
    const seen = purchaseIn('paid', { mandateId: 'mnd_1', txHash: '0x1', position: 3 })
    expect(after(seen, commands['abandon after a day'], later(9 * dayMs))).toBeNull()
  })

  test.each([
    ['refused', null],
    ['expired', null],
    ['unknown', payment],
    ['paid', payment],
  ] as const)(
    'without a mandate keeps a payment that may have been taken, and frees one that was not: %s',
    (state, kept) => {
      const given = after(purchaseIn(state), commands['abandon at once'], later(2 * dayMs))
      expect(given).toMatchObject({ payment: kept, isVoidPending: true })
    },
  )

  test('without a mandate, and stays accepted where it was', () => {
    const given = after(purchaseIn('paid'), commands['abandon at once'], later(2 * dayMs))
    expect(given && isAbandoned(given)).toBe(false)
  })

  test('when its payment expires under a mandate; without one it waits for another payment', () => {
    const expired = (mandateId: string | null) =>
      after(purchaseIn('paid', { mandateId }), commands.expire)
    expect(expired('mnd_1')).toMatchObject({
      abandonedAt: later(2 * minuteMs),
      isVoidPending: true,
    })
    expect(expired(null)).toMatchObject({ abandonedAt: null, isVoidPending: false })
  })

  test('for another payment, of which it then knows, and of no other', () => {
    const given = after(purchaseIn('refused'), commands.supersede)
    expect(given).toMatchObject({ supersededBy: 'other', payment: null, isVoidPending: true })
  })

  test('and its invoice is voided once', () => {
    const given = purchaseIn('expired', { abandonedAt: noon, isVoidPending: true })
    const voided = after(given, { kind: 'void' })
    expect(voided).toMatchObject({ isVoidPending: false, abandonedAt: noon })
    expect(voided && after(voided, { kind: 'void' })).toBeNull()
  })
})

describe('R3: of an answer to a payment', () => {
  const noted = (status: number, delivered: Delivery['delivered'] = 'whole', key = 'first') =>
    ({ kind: 'deliver', key, attempt: 2, delivery: deliveryOf(status, delivered) }) as const
  const known = (status: number, delivered: Delivery['delivered']) =>
    purchaseIn('paid', { delivery: deliveryOf(status, delivered) })
  const isKept = (before: Purchase, next: Command) => after(before, next) === null

  test('a whole delivery replaces a partial one, and any that of an error; otherwise the first stays', () => {
    const worth = [noted(500, 'partial'), noted(500), noted(200, 'partial'), noted(302)]
    for (const [at, { delivery }] of worth.entries())
      for (const [nextAt, next] of worth.entries())
        expect(isKept(known(delivery.status, delivery.delivered), next)).toBe(nextAt <= at)
  })

  test('nothing is noted for another payment than the last', () => {
    expect(isKept(purchaseIn('paid'), noted(200, 'whole', 'other'))).toBe(true)
    const refused = { ...known(500, 'whole'), state: 'refused' } as const
    expect(after(refused, commands['forward another payment'])?.delivery).toBeNull()
    expect(after(refused, commands['forward the same payment'])?.delivery?.status).toBe(500)
  })

  test('it is under way from the forwarding on until it is noted, does not come, or is overdue', () => {
    const forwarded = after(purchaseIn('quoted'), commands['forward the same payment'], noon)
    if (!forwarded) throw new Error('not forwarded')
    const isUnderWay = (purchase: Purchase | null, ms = 0) =>
      purchase && isDeliveryUnderWay(purchase, later(ms))
    const limitMs = attemptLimitMs + longestStreamMs
    expect([isUnderWay(forwarded, limitMs - 1), isUnderWay(forwarded, limitMs)]).toEqual([
      true,
      false,
    ])
    const suspended = (isAnswered: boolean) =>
      after(forwarded, { kind: 'suspend', txHash: null, isAnswered }, noon)
    expect([isUnderWay(suspended(true)), isUnderWay(suspended(false))]).toEqual([true, false])
    expect(isUnderWay(after(forwarded, commands.refuse, noon))).toBe(false)
    expect(isUnderWay(after(forwarded, commands.accept, noon))).toBe(true)
    const paid = after(forwarded, commands.accept, noon) ?? forwarded
    expect(isUnderWay(after(paid, noted(500, 'partial'), noon))).toBe(false)
    // By an answer to the same payment presented again, it does not end.
    expect(isUnderWay(after(paid, { ...noted(200), attempt: null }, noon))).toBe(true)
    // Without an outcome after a minute, its process has died.
    const lost = after(forwarded, commands.take_over)
    const answered = suspended(true)
    const streaming = answered && after(answered, commands.take_over)
    expect([isUnderWay(lost), isUnderWay(streaming)]).toEqual([false, true])
  })
})
