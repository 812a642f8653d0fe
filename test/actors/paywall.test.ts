import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPaywall } from '../../src/actors/paywall.ts'
import type { Admission, PayOption, Proof } from '../../src/domain/x402.ts'
import { type Facilitator, readAuthorization } from '../../src/domain/x402-payment.ts'
import * as Payments from '../../src/storage/x402-payments.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

/** Copies of one proof in the moments between what they ask PostgreSQL. */

const settledBy = `0x${'7'.repeat(64)}`
const option: PayOption = {
  network: 'base',
  caip2: 'eip155:8453',
  recipient: `0x${'2'.repeat(40)}`,
  token: `0x${'3'.repeat(40)}`,
  extra: {},
  takesSigned: true,
  takesTransfers: true,
}
const resource = { url: 'https://pay.example/thing', description: 'A thing', priceUsdcBase: 5_000n }

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.drop())

function aProof(): Proof {
  const nonce = `0x${Bun.randomUUIDv7('hex').replaceAll('-', '').repeat(2)}`
  const authorization = {
    from: `0x${'1'.repeat(40)}`,
    to: option.recipient,
    value: '5000',
    validAfter: '0',
    validBefore: `${Math.floor(Date.now() / 1_000) + 60}`,
    nonce,
  }
  const payload = { signature: `0x${'ab'.repeat(65)}`, authorization }
  return { kind: 'signed', network: 'base', payload }
}

/** One process: what it asks of the chain, and `onLost`, which runs after a claim that somebody else has. */
function paywall(facilitator: Facilitator, onLost: () => Promise<void> = async () => {}) {
  const { sql } = db
  const { admit } = createPaywall({
    options: () => [option],
    authorizationIn: readAuthorization,
    facilitator: () => facilitator,
    reader: () => ({ settlementOf: async () => 'unused', transfersTo: async () => null }),
    store: {
      find: (claim) => Payments.findPayment(sql, claim),
      async claim(claim, otherKeys, at) {
        const isOurs = await Payments.claimPayment(sql, claim, otherKeys, at)
        if (!isOurs) await onLost()
        return isOurs
      },
      claimAgain: (key, times) => Payments.claimAgain(sql, key, times),
      forget: (key) => Payments.forgetTransaction(sql, key),
      note: (key, txHash) => Payments.noteTransaction(sql, key, txHash),
      pending: (key) => Payments.markPending(sql, key),
      settled: (key, txHash) => Payments.markSettled(sql, key, txHash),
      release: (key) => Payments.releasePayment(sql, key),
      keep: (key, answer) => Payments.keepAnswer(sql, key, answer),
      open: (between, limit) => Payments.openPayments(sql, between, limit),
    },
    isSignedByPayer: async () => false,
    leastUsdcBase: 5_000n,
    now: () => new Date(),
  })
  return (proof: Proof): Promise<Admission> =>
    admit(resource, proof, 'request', async () => ({ status: 200, body: '{}' }))
}

describe('a copy that loses its claim just as the first copy’s claim is given up', () => {
  test('is not told that its payment bought something else, and buys when it is sent again', async () => {
    const proof = aProof()
    const claimed = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<void>()
    const one = paywall({
      notesFirst: true,
      verify: async () => ({ kind: 'valid' }),
      async settle() {
        claimed.resolve()
        await lost.promise
        return { kind: 'refused', problem: 'The network is busy' }
      },
    })
    let first: Promise<Admission> | undefined
    const two = paywall(
      {
        notesFirst: true,
        // By now it has seen that nobody has claimed the payment.
        async verify() {
          first ??= one(proof)
          await claimed.promise
          return { kind: 'valid' }
        },
        settle: async () => ({ kind: 'settled', txHash: settledBy }),
      },
      async () => {
        lost.resolve()
        await first
      },
    )
    expect((await two(proof)).kind).toBe('settling')
    expect((await first)?.kind).toBe('refused')
    expect((await two(proof)).kind).toBe('delivered')
  })
})
