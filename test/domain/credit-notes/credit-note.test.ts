import { describe, expect, test } from 'bun:test'
import { fromText, toText } from '../../../src/domain/codec.ts'
import * as CreditNote from '../../../src/domain/credit-notes/credit-note.ts'
import { type Command, decide } from '../../../src/domain/credit-notes/decide.ts'
import { evolve } from '../../../src/domain/credit-notes/evolve.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { noSender } from '../../../src/domain/network.ts'
import { creditTerms, noteAfter } from '../../support/credit-note.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const [alice, bob, carol] = [0xa1, 0xb0, 0xca].map((byte) => `0x${byte.toString(16).repeat(20)}`)
const at = { blockNumber: 7, blockTime: now.toISOString(), from: creditTerms().payTo }
const proof: CreditNote.Proof = { txHash: '0x01', position: 3, ...at }
const proveAlice = { kind: 'prove', payer: alice ?? '', proof, receiptId: 'drs_1' } as const
const proveBob = {
  ...proveAlice,
  payer: bob ?? '',
  proof: { ...proof, txHash: '0x02' },
  receiptId: 'drs_2',
} as const
const two = [
  { payer: alice ?? '', usdcBase: 9_000_000n },
  { payer: bob ?? '', usdcBase: 2_900_000n },
]

function redirection(sequence: number) {
  return { kind: 'redirect', payer: alice ?? '', refundTo: carol ?? '', sequence } as const
}

const ten = Array.from({ length: 10 }, (_, at) => redirection(at + 1))

const commands = {
  redirect: redirection(1),
  redirectAgain: redirection(2),
  redirectAnothers: { ...redirection(1), payer: carol ?? '' },
  nameAddress: { kind: 'name_address', refundTo: carol ?? '' },
  addWallet: { kind: 'add_wallet', wallet: carol ?? '' },
  proveAlice,
  proveBob,
  proveAgain: { ...proveAlice, proof: { ...proof, position: 4 } },
  takeBackAlice: { kind: 'take_back', txHash: '0x01', position: 3 },
  takeBackOther: { kind: 'take_back', txHash: '0x01', position: 9 },
} as const satisfies Record<string, Command>

const notes = {
  'issued without refunds': noteAfter([], []),
  issued: noteAfter([], two),
  'half refunded': noteAfter([proveAlice], two),
  refunded: noteAfter([proveAlice, proveBob], two),
  'redirected ten times': noteAfter(ten, two),
  'of a mint': noteAfter([], [{ payer: noSender.evm, usdcBase: 11_900_000n }]),
}

// Written by hand: the reason of a refusal, else the event and the state after it, `` for nothing.
// biome-ignore format: a table
const outcomes: Record<keyof typeof commands, readonly string[]> = {
  redirect:         ['not_found',     'refund.redirected → issued',   'invalid_state',                'invalid_state',          'limit_reached',                'not_found'],
  redirectAgain:    ['not_found',     'invalid_state',                'invalid_state',                'invalid_state',          'limit_reached',                'not_found'],
  redirectAnothers: ['not_found',     'not_found',                    'not_found',                    'not_found',              'not_found',                    'not_found'],
  nameAddress:      ['invalid_state', 'invalid_state',                'invalid_state',                'invalid_state',          'invalid_state',                'refund.redirected → issued'],
  addWallet:        ['invalid_state', 'refund.wallet_added → issued', 'refund.wallet_added → issued', 'invalid_state',          'refund.wallet_added → issued', 'refund.wallet_added → issued'],
  proveAlice:       ['not_found',     'refund.confirmed → issued',    '',                             '',                       'refund.confirmed → issued',    'not_found'],
  proveBob:         ['not_found',     'refund.confirmed → issued',    'refund.confirmed → refunded',  '',                       'refund.confirmed → issued',    'not_found'],
  proveAgain:       ['not_found',     'refund.confirmed → issued',    'invalid_state',                'invalid_state',          'refund.confirmed → issued',    'not_found'],
  takeBackAlice:    ['',              '',                             'refund.failed → issued',       'refund.failed → issued', '',                             ''],
  takeBackOther:    ['',              '',                             '',                             '',                       '',                             ''],
}

function outcome(note: CreditNote.CreditNote, command: Command): string {
  try {
    const events = decide(note, command)
    const after = evolve(note, events, now)
    return events.map(({ type }) => `${type} → ${after?.state}`).join()
  } catch (error) {
    return error instanceof DomainError ? error.reason : String(error)
  }
}

describe('every state of a credit note answers every command', () => {
  for (const [name, expected] of Object.entries(outcomes))
    for (const [place, [state, note]] of Object.entries(notes).entries())
      test(`${state} × ${name} → ${expected[place] || 'nothing'}`, () => {
        const command = commands[name as keyof typeof commands]
        expect(outcome(note, command)).toBe(expected[place] ?? '?')
      })

  test('nothing but an issue makes one, and only once', () => {
    for (const command of Object.values(commands))
      expect(() => decide(undefined, command)).toThrow('No such credit note')
    const ids = { id: 'note', accountId: 'acc', invoiceId: 'inv' }
    const issue: Command = { kind: 'issue', ...ids, terms: creditTerms(), refunds: [] }
    expect(outcome(notes.issued, issue)).toBe('invalid_state')
  })
})

describe('a credit note', () => {
  test('is known by the number of its account and year; a purchase’s by its seller’s', () => {
    const { issued } = notes
    expect(CreditNote.numberOf(issued)).toBe('CN-2026-0001')
    expect(CreditNote.numberOf({ ...issued, number: 12345 })).toBe('CN-2026-12345')
    const theirs = creditTerms({ isPurchase: true, sellerNumber: 'G-77' })
    expect(CreditNote.numberOf({ ...issued, number: null, terms: theirs })).toBe('G-77')
  })

  test('reads as it was written', () => {
    const { terms, progress } = notes.refunded
    const lines = [{ line: 2, quantity: '0.5', netUnits: 1000n }]
    const whole = { ...terms, lines }
    const written = toText(CreditNote.terms, whole)
    expect(fromText(CreditNote.terms, written)).toEqual(whole)
    expect(fromText(CreditNote.progress, toText(CreditNote.progress, progress))).toEqual(progress)
    expect(CreditNote.states).toContain(notes.refunded.state)
  })
})
