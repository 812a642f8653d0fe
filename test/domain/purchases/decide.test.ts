import { describe, expect, test } from 'bun:test'
import { type Command, decide } from '../../../src/domain/purchases/decide.ts'
import {
  answers,
  attemptLimitMs,
  countedOf,
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

const cheap = { network: 'base', payTo: `0x${'5e'.repeat(20)}`, usdcBase: 10_000n } as const
const dear = { ...cheap, network: 'polygon', usdcBase: 20_000n } as const
const wanted = {
  ...{ invoiceId: 'i', accountId: 'a', resource: 'r', demandSha256: null },
  ...{ options: [cheap, dear], agentId: 'agent', mandateId: 'mandate' },
}
const claimed = {
  ...({ key: 'first', kind: 'eip3009', payer: '0xa', nonce: '0x1', message: null } as const),
  ...{ validBefore: null, isProven: true },
  names: { paymentId: null, idempotencyKey: null, header: null },
}
const payment: Payment = { ...claimed, firstForwardedAt: noon, forwardedAt: noon }
const hold = { amountMinor: 2n, periodNumber: 1 }

/** A purchase of the dearer option; if paid, by a payment that was forwarded at noon. */
function purchaseIn(state: State, over: Partial<Purchase> = {}): Purchase {
  const quoted = { ...quote(wanted, noon), state, readAt: later(2 * minuteMs) }
  if (state === 'quoted' || state === 'replaced' || state === 'over') return { ...quoted, ...over }
  const onChain = state === 'settled' ? { txHash: '0xt', position: 3, settledIn: 7 } : {}
  return { ...quoted, option: dear, payment, hold, ...onChain, ...over }
}

const commands = {
  replace: { kind: 'replace' },
  claim: {
    ...{ kind: 'claim', payment: claimed, txHash: null, option: dear, hold },
    ...{ agentId: 'agent', mandateId: 'mandate' },
  },
  resend: { kind: 'resend' },
  accept: { kind: 'accept', txHash: '0x1' },
  leave: { kind: 'leave', txHash: null, isAnswered: true },
  settle: { kind: 'settle', txHash: '0x1', position: 3, blockNumber: 8 },
  revert: { kind: 'revert' },
  free: { kind: 'free' },
  end: { kind: 'end' },
} as const satisfies { [Kind in Command['kind']]: Extract<Command, { kind: Kind }> }

// Written by hand; '' where nothing changes.
// biome-ignore format: a table
const outcomes: Record<Command['kind'], Record<State, State | ''>> = {
  replace: { quoted: 'replaced', replaced: '',     held: '',         paid: '',         settled: '',     over: '' },
  claim:   { quoted: 'held',     replaced: 'held', held: '',         paid: '',         settled: '',     over: '' },
  resend:  { quoted: '',         replaced: '',     held: 'held',     paid: '',         settled: '',     over: '' },
  accept:  { quoted: '',         replaced: '',     held: 'paid',     paid: 'paid',     settled: '',     over: '' },
  leave:   { quoted: '',         replaced: '',     held: 'held',     paid: '',         settled: '',     over: '' },
  settle:  { quoted: '',         replaced: '',     held: 'settled',  paid: 'settled',  settled: '',     over: '' },
  revert:  { quoted: '',         replaced: '',     held: '',         paid: '',         settled: 'paid', over: '' },
  free:    { quoted: '',         replaced: '',     held: 'replaced', paid: 'replaced', settled: '',     over: '' },
  end:     { quoted: 'over',     replaced: 'over', held: '',         paid: '',         settled: '',     over: '' },
}

const cells = Object.values(commands).flatMap((command) =>
  states.map((state) => [command.kind, state, outcomes[command.kind][state], command] as const),
)

test.each(cells)('%s: %s becomes %s', (_, state, to, command) => {
  const before = purchaseIn(state)
  const after = decide(before, command)
  expect(after?.state ?? '').toBe(to)
  if (after) expect(after.version).toBe(before.version + 1)
})

describe('counted', () => {
  const nothing = { heldMinor: 0n, spentMinor: 0n, boundBase: 0n }
  const isHeld = { heldMinor: 2n, spentMinor: 0n, boundBase: 20_000n }
  const isSpent = { heldMinor: 0n, spentMinor: 2n, boundBase: 20_000n }
  test.each([
    ['quoted', nothing],
    ['replaced', nothing],
    ['held', isHeld],
    ['paid', isSpent],
    ['settled', isSpent],
    ['over', nothing],
  ] as const)('while %s', (state, counted) => {
    expect(countedOf(purchaseIn(state))).toEqual(counted)
  })

  test('is nothing of a budget or mandate that there is not', () => {
    const without = purchaseIn('paid', { hold: null, mandateId: null })
    expect(countedOf(without)).toEqual(nothing)
  })

  test.each(cells)('is what the state after it counts: %s of %s', (_, state, to, command) => {
    const after = decide(purchaseIn(state), command)
    if (after && to) expect(countedOf(after)).toEqual(countedOf(purchaseIn(to)))
  })
})

describe('a payment', () => {
  const underWay = (ms: number) => purchaseIn('held', { isForwarding: true, readAt: later(ms) })

  test('is sent again only once its attempt is over, or has died', () => {
    expect(decide(underWay(attemptLimitMs - 1), commands.resend)).toBeNull()
    expect(decide(underWay(attemptLimitMs), commands.resend)).toMatchObject({
      isForwarding: true,
      payment: { firstForwardedAt: noon, forwardedAt: later(attemptLimitMs) },
    })
    expect(decide(purchaseIn('held'), commands.resend)?.isForwarding).toBe(true)
  })

  test('that is accepted by the same transaction again changes nothing', () => {
    const paid = purchaseIn('paid', { txHash: '0x1' })
    expect(decide(paid, commands.accept)).toBeNull()
    expect(decide(paid, { kind: 'accept', txHash: '0x2' })?.txHash).toBe('0x2')
  })

  test('that can no longer come leaves nothing of itself, and its quote can be paid by another', () => {
    const freed = decide(purchaseIn('held', { txHash: '0x1', attempt: 2 }), commands.free)
    expect(freed).toMatchObject({ payment: null, txHash: null, hold: null, attempt: null })
    expect(freed && decide(freed, commands.claim)?.state).toBe('held')
  })

  test('that is left without an answer keeps the transaction that was named first', () => {
    const named = { kind: 'leave', txHash: '0x2', isAnswered: false } as const
    expect(decide(purchaseIn('held', { txHash: '0x1' }), named)?.txHash).toBe('0x1')
    expect(decide(purchaseIn('held'), named)?.txHash).toBe('0x2')
  })

  test('is settled only after its answer is handed over, or cannot be any more', () => {
    const of = (delivered: number | null, ms: number) =>
      isDeliveryUnderWay(purchaseIn('paid', { attempt: 2, delivered, readAt: later(ms) }))
    const longMs = attemptLimitMs + longestStreamMs
    expect([of(null, 0), of(null, longMs - 1), of(null, longMs)]).toEqual([true, true, false])
    expect(of(2, 0)).toBe(false)
  })
})

test('a quote answers asks for a quarter of an hour, while its offer is the same', () => {
  const of = (state: State, minutes: number) =>
    answers(purchaseIn(state, { readAt: later(minutes * minuteMs) }), [cheap, dear])
  expect([of('quoted', 14), of('quoted', 15), of('replaced', 1)]).toEqual([true, false, false])
  const quoted = purchaseIn('quoted')
  for (const offer of [[cheap], [dear, cheap], [cheap, { ...dear, usdcBase: 20_001n }]])
    expect(answers(quoted, offer)).toBe(false)
})
