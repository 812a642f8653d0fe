import { afterAll, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { createPaywall } from '../../src/actors/paywall.ts'
import type { PaymentPayload } from '../../src/domain/x402/payload.ts'
import type { Admission, PayOption } from '../../src/domain/x402/paywall.ts'
import {
  type Facilitator,
  readAuthorization,
  type SettlementResult,
} from '../../src/domain/x402/settlement.ts'
import * as Payments from '../../src/storage/x402/payments.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

/** Concurrent copies of one proof, interleaved between their database statements. */

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

function aProof(): PaymentPayload {
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
  return { kind: 'signed', scheme: 'exact', network: 'base', accepted: null, payload }
}

type Around = {
  /** Runs after a claim that somebody else has. */
  readonly onLost?: () => Promise<void>
  /** The transaction that has settled the payment on chain. */
  readonly mined?: () => string | null
  /** How long ago the claims on record seem to be. */
  readonly passedMs?: () => number
}

/** One process: what it asks of the chain, and what happens around it. */
function paywall(
  facilitator: Facilitator,
  { onLost = async () => {}, mined = () => null, passedMs = () => 0 }: Around = {},
) {
  const { sql } = db
  const { admit } = createPaywall({
    options: () => [option],
    signedPaymentIn: (_, payload) => readAuthorization(option.network, payload),
    isReference: () => false,
    facilitator: () => facilitator,
    reader: () => ({
      async settlementOf() {
        const txHash = mined()
        return txHash === null ? 'unused' : { txHash }
      },
      transfersTo: async () => null,
    }),
    store: {
      async find(claim) {
        const found = await Payments.findPayment(sql, claim)
        return found && { ...found, ageMs: found.ageMs + passedMs() }
      },
      async claim(claim, otherKeys) {
        const claimedAt = await Payments.claimPayment(sql, claim, otherKeys)
        if (!claimedAt) await onLost()
        return claimedAt
      },
      claimAgain: (claim) => Payments.claimAgain(sql, claim),
      forget: (claim) => Payments.forgetTransaction(sql, claim),
      note: (claim, txHash) => Payments.noteTransaction(sql, claim, txHash),
      pending: (claim) => Payments.markPending(sql, claim),
      settled: (key, txHash) => Payments.markSettled(sql, key, txHash),
      release: (claim) => Payments.releasePayment(sql, claim),
      keep: (key, answer) => Payments.keepAnswer(sql, key, answer),
      open: (between, limit) => Payments.openPayments(sql, between, limit),
    },
    isSignedByPayer: async () => false,
    leastUsdcBase: 5_000n,
    now: async () => new Date(),
    isUntold: () => false,
    steadyMs: () => performance.now(),
    log: { warn() {} },
  })
  return (proof: PaymentPayload): Promise<Admission> =>
    admit(resource, proof, ['request'], async ({ claimedAt }) => {
      return { status: 200, body: JSON.stringify(claimedAt) }
    })
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
        // By now it has seen that the payment is unclaimed.
        async verify() {
          first ??= one(proof)
          await claimed.promise
          return { kind: 'valid' }
        },
        settle: async () => ({ kind: 'settled', txHash: settledBy }),
      },
      {
        async onLost() {
          lost.resolve()
          await first
        },
      },
    )
    expect((await two(proof)).kind).toBe('settling')
    expect((await first)?.kind).toBe('refused')
    expect((await two(proof)).kind).toBe('delivered')
  })
})

describe('a try that has waited for so long that a second one has taken over its claim', () => {
  /**
   * How both tries are answered, and then a third. The first one ends as `first` has it, after the
   * second has claimed the payment; the second one notes its transaction before or after that.
   */
  async function tries(
    first: (note: (txHash: string) => Promise<boolean>) => Promise<SettlementResult>,
    notes: 'before' | 'after' = 'after',
  ) {
    const proof = aProof()
    let mined: string | null = null
    let passedMs = 0
    const claimed = Promise.withResolvers<void>()
    const takenOver = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const settles = [
      async (note: (txHash: string) => Promise<boolean>) => {
        claimed.resolve()
        await takenOver.promise
        return first(note)
      },
      async (note: (txHash: string) => Promise<boolean>): Promise<SettlementResult> => {
        if (notes === 'before') await note(settledBy)
        takenOver.resolve()
        await over.promise
        if (notes === 'after' && !(await note(settledBy))) return { kind: 'unknown' }
        const row = await db.sql`select tx_hash from x402_payments where tx_hash = ${settledBy}`
        expect(row).toHaveLength(1)
        mined = settledBy
        return { kind: 'settled', txHash: settledBy }
      },
    ]
    const send = paywall(
      {
        notesFirst: true,
        verify: async () => ({ kind: 'valid' }),
        settle: async (_, __, note) => settles.shift()!(note),
      },
      { mined: () => mined, passedMs: () => passedMs },
    )
    const one = send(proof)
    await claimed.promise
    passedMs = 61_000
    // The claims of both are told apart by their milliseconds.
    await Bun.sleep(2)
    const two = send(proof)
    const ended = await one
    over.resolve()
    return { one: ended, two: await two, three: await send(proof) }
  }

  /** What was bought names the claim that it was bought by. */
  async function bought() {
    const [claim] = await db.sql`select created_at from x402_payments`
    return { status: 200, body: JSON.stringify(claim?.created_at) }
  }

  beforeEach(async () => {
    await db.sql`truncate x402_payments, transaction_uses`
  })

  test('leaves the claim to the second when it is refused: that one buys, and nobody is asked to pay again', async () => {
    const { one, two, three } = await tries(async () => {
      return { kind: 'refused', problem: 'settlement_unavailable' }
    })
    expect(one.kind).toBe('settling')
    expect(two).toMatchObject({ kind: 'delivered', answer: await bought() })
    expect(three).toMatchObject({ kind: 'repeat', answer: await bought() })
  })

  test('is told so before it sends anything', async () => {
    let isOurs: boolean | undefined
    const { one, two } = await tries(async (note) => {
      isOurs = await note(`0x${'6'.repeat(64)}`)
      return { kind: 'unknown' }
    })
    expect(isOurs).toBe(false)
    expect(one).toMatchObject({ kind: 'pending', txHash: null })
    expect(two).toMatchObject({ kind: 'delivered', payment: { txHash: settledBy } })
  })

  test('does not forget the transaction that the second has noted', async () => {
    const { one, two } = await tries(async () => ({ kind: 'untaken' }), 'before')
    expect(one).toMatchObject({ kind: 'pending', txHash: settledBy })
    expect(two.kind).toBe('delivered')
  })

  test('delivers, if it finds the payment on chain, as the second one does', async () => {
    const proof = aProof()
    let mined: string | null = null
    let passedMs = 0
    const claimed = Promise.withResolvers<void>()
    const takenOver = Promise.withResolvers<void>()
    const settles = [
      async (): Promise<SettlementResult> => {
        claimed.resolve()
        await takenOver.promise
        return { kind: 'unknown' }
      },
      async (): Promise<SettlementResult> => {
        mined = settledBy
        takenOver.resolve()
        return { kind: 'settled', txHash: settledBy }
      },
    ]
    const send = paywall(
      {
        notesFirst: true,
        verify: async () => ({ kind: 'valid' }),
        settle: async () => settles.shift()!(),
      },
      { mined: () => mined, passedMs: () => passedMs },
    )
    const one = send(proof)
    await claimed.promise
    passedMs = 61_000
    // The claims of both are told apart by their milliseconds.
    await Bun.sleep(2)
    const both = await Promise.all([one, send(proof)])
    expect(both).toMatchObject([{ answer: await bought() }, { answer: await bought() }])
  })
})

test('a claim whose process has died is taken over after a minute, though the clock of that process was an hour ahead', async () => {
  const proof = aProof()
  const claimed = Promise.withResolvers<void>()
  const dying = paywall({
    notesFirst: true,
    verify: async () => ({ kind: 'valid' }),
    async settle() {
      claimed.resolve()
      return new Promise(() => {})
    },
  })
  setSystemTime(new Date(Date.now() + 3_600_000))
  void dying(proof)
  await claimed.promise
  setSystemTime()
  const txHash = `0x${'8'.repeat(64)}`
  const next = paywall({
    notesFirst: true,
    verify: async () => ({ kind: 'valid' }),
    settle: async () => ({ kind: 'settled', txHash }),
  })
  expect((await next(proof)).kind).toBe('settling')
  await db.sql`update x402_payments set created_at = created_at - interval '61 seconds'`
  expect(await next(proof)).toMatchObject({ kind: 'delivered', payment: { txHash } })
})
