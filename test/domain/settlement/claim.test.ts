import { describe, expect, test } from 'bun:test'
import type { DomainError } from '../../../src/domain/error.ts'
import type { Command } from '../../../src/domain/invoices/decide.ts'
import { type Claimable, judge, proofOn } from '../../../src/domain/settlement/claim.ts'
import { after, payment, terms } from '../../support/invoice.ts'

const payer = '0xbb'
const { payTo } = terms()
const open = after([])
const full: Claimable = { from: payer, to: payTo, usdcBase: 12_500_000n, credit: null }
const part: Claimable = { ...full, usdcBase: 5_000_000n }

function reason(run: () => unknown): string {
  try {
    run()
    return 'none'
  } catch (error) {
    return (error as DomainError).reason
  }
}

describe('a claim is owed', () => {
  test('what its payer sent to the address of the invoice', () => {
    const others = [
      { ...full, from: '0xcc' },
      { ...full, to: '0xdd' },
    ]
    expect(judge(open, [...others, full], payer)).toEqual({ kind: 'owed', transfers: [full] })
  })

  test('a part, or too much, and not what comes after the invoice is covered', () => {
    expect(judge(open, [part], payer)).toEqual({ kind: 'owed', transfers: [part] })
    const parts = [part, part, part, part]
    expect(judge(open, parts, payer)).toEqual({ kind: 'owed', transfers: [part, part, part] })
  })

  test('the one that is exactly what is left, wherever it stands, and no part besides', () => {
    expect(judge(open, [part, full, part], payer)).toEqual({ kind: 'owed', transfers: [full] })
    const invoice = after([{ kind: 'credit', payment: payment({ usdcBase: 10_000_000n }) }])
    const rest = { ...full, usdcBase: 2_500_000n }
    expect(judge(invoice, [part, rest], payer)).toEqual({ kind: 'owed', transfers: [rest] })
  })

  test('parts only until one is exactly what is left then', () => {
    const [small, rest] = [part, { ...full, usdcBase: 7_500_000n }]
    const larger = { ...full, usdcBase: 6_000_000n }
    expect(judge(open, [small, larger, rest], payer)).toEqual({
      kind: 'owed',
      transfers: [small, rest],
    })
  })

  test('what is missing since an earlier payment', () => {
    const invoice = after([{ kind: 'credit', payment: payment({ usdcBase: 10_000_000n }) }])
    expect(judge(invoice, [part, part], payer)).toEqual({ kind: 'owed', transfers: [part] })
  })

  test('a late payment of an expired invoice', () => {
    const dueAt = '2026-05-01T12:00:00.000Z'
    const expired = after([{ kind: 'expire' }], { dueAt })
    expect(expired.state).toBe('failed')
    expect(judge(expired, [full], payer)).toEqual({ kind: 'owed', transfers: [full] })
  })
})

describe('a claim has been credited', () => {
  test('when the invoice has what its payer sent, however the invoice stands', () => {
    const mine = { ...full, credit: { invoiceId: open.id } }
    const paid = after([{ kind: 'credit', payment: payment() }])
    expect(judge(paid, [mine], payer)).toEqual({ kind: 'credited' })
    expect(judge(paid, [mine, part], payer)).toEqual({ kind: 'credited' })
  })
})

test('a claim on what nobody has seen waits, unless the invoice takes nothing more', () => {
  expect(judge(open, [], payer)).toEqual({ kind: 'unseen' })
  expect(reason(() => judge(after([{ kind: 'void' }]), [], payer))).toBe('invalid_state')
})

describe('a claim is refused', () => {
  const elsewhere = { ...full, credit: { invoiceId: 'other' } }

  test.each<[string, readonly Claimable[]]>([
    ['transfer_mismatch', [{ ...full, to: '0xdd' }]],
    ['not_the_sender', [{ ...full, from: '0xcc' }]],
    ['not_the_sender', [{ ...full, from: '0xcc', credit: { invoiceId: open.id } }]],
    ['already_credited', [elsewhere]],
  ])('as %s', (expected, transfers) => {
    expect(reason(() => judge(open, transfers, payer))).toBe(expected)
  })

  test('as invalid_state by an invoice that takes no payment', () => {
    expect(reason(() => judge(after([{ kind: 'void' }]), [full], payer))).toBe('invalid_state')
    const paid = after([{ kind: 'credit', payment: payment() }])
    expect(reason(() => judge(paid, [full], payer))).toBe('invalid_state')
  })
})

describe('a proof', () => {
  const signature = 'anything'
  const evm = { txHash: `0x${'aB'.repeat(32)}`, signature, payer: `0x${'CD'.repeat(20)}` }
  const solana = { txHash: '5'.repeat(88), signature, payer: 'B'.repeat(44) }

  test('is read in the spelling of its chain', () => {
    const lower = { txHash: evm.txHash.toLowerCase(), signature, payer: evm.payer.toLowerCase() }
    expect(proofOn('base', evm)).toEqual(lower)
    expect(proofOn('solana', solana)).toEqual(solana)
  })

  test('of another chain is refused', () => {
    expect(reason(() => proofOn('base', solana))).toBe('invalid_request')
    expect(reason(() => proofOn('solana', evm))).toBe('invalid_request')
    expect(reason(() => proofOn('base', { ...evm, payer: solana.payer }))).toBe('invalid_request')
  })
})

describe('of what would be another small part of many, a claim', () => {
  const small = { ...full, usdcBase: 1n }
  const parts = Array.from({ length: 100 }, (_, at): Command => {
    const dust = payment({ key: `base:0x01:${at}`, usdcBase: 1n })
    return { kind: 'credit', payment: dust }
  })
  const dusty = after(parts)

  test('is refused', () => {
    expect(reason(() => judge(dusty, [small], payer))).toBe('limit_reached')
    expect(judge(after(parts.slice(1)), [small, small], payer)).toEqual({
      kind: 'owed',
      transfers: [small],
    })
  })

  test('credits what is not small', () => {
    expect(judge(dusty, [small, part], payer)).toEqual({ kind: 'owed', transfers: [part] })
  })

  test('that was made before has been credited', () => {
    const mine = { ...small, credit: { invoiceId: dusty.id } }
    expect(judge(dusty, [mine, small], payer)).toEqual({ kind: 'credited' })
  })
})
