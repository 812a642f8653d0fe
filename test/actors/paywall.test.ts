import { afterAll, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { PaymentOutcome } from '../../src/actors/paywall/order.ts'
import { createPaywall } from '../../src/actors/paywall/paywall.ts'
import type { PaymentPayload } from '../../src/domain/x402/payload.ts'
import type { PaymentOption } from '../../src/domain/x402/payment-required.ts'
import type {
  Facilitator,
  PaidTransfer,
  SettlementResult,
} from '../../src/domain/x402/settlement.ts'
import { readAuthorization } from '../../src/domain/x402/signed-payment.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import { aTxHash, heldTransfer } from '../support/claims.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { watchedSql } from '../support/watched-sql.ts'

/** Concurrent copies of one payment, interleaved between their database statements. */

const settledBy = `0x${'7'.repeat(64)}`
const option: PaymentOption = {
  network: 'base',
  payTo: `0x${'2'.repeat(40)}`,
  asset: `0x${'3'.repeat(40)}`,
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

const paid = {
  from: `0x${'1'.repeat(40)}`,
  position: 0,
  usdcBase: 5_000n,
  blockTimeMs: 0,
  settles: [],
}

function aPayment(): PaymentPayload {
  const nonce = `0x${Bun.randomUUIDv7('hex').replaceAll('-', '').repeat(2)}`
  const authorization = {
    from: `0x${'1'.repeat(40)}`,
    to: option.payTo,
    value: '5000',
    validAfter: '0',
    validBefore: `${Math.floor(Date.now() / 1_000) + 60}`,
    nonce,
  }
  const payload = { signature: `0x${'ab'.repeat(65)}`, authorization }
  const unused = { accepted: null, version: 1, extensions: null }
  return { kind: 'signed', scheme: 'exact', network: 'base', payload, ...unused }
}

type Around = {
  /** Runs after an attempt to claim the payment. */
  readonly onClaim?: () => Promise<void>
  /** The transaction that has settled the payment on chain. */
  readonly mined?: () => string | null
  /** What a transaction transfers to us. */
  readonly transfers?: readonly PaidTransfer[]
  /** After how long the process believes that another one has died. */
  readonly claimedForMs?: number
}

/** One process: what it asks of the chain, and what happens around it. */
function paywall(
  facilitator: Facilitator,
  { onClaim = async () => {}, mined = () => null, transfers, claimedForMs }: Around = {},
) {
  let authorization = { payer: '', nonce: '' }
  const sql = watchedSql(db.sql, {
    after: async ({ text }) => {
      if (text.includes('insert into x402_payments')) await onClaim()
    },
  })
  const { admit } = createPaywall({
    sql,
    networks: [
      {
        network: 'base',
        facilitator,
        reader: {
          async settlementOf({ payer, nonce }) {
            const txHash = mined()
            authorization = { payer, nonce }
            return txHash === null ? 'unused' : { txHash }
          },
          transfersTo: async () => transfers ?? [{ ...paid, settles: [authorization] }],
        },
        option: () => option,
        lack: () => null,
        readPayment: (payload) => readAuthorization('base', payload),
        isSignedByKey: async () => true,
      },
    ],
    isReference: () => false,
    isSignedByPayer: async () => transfers !== undefined,
    steadyMs: () => performance.now(),
    log: { warn() {} },
    ...(claimedForMs !== undefined && { claimedForMs }),
  })
  return (payment: PaymentPayload): Promise<PaymentOutcome> => {
    const deliver = async ({ claimedAt }: { claimedAt: Date }) => {
      return { status: 200, body: JSON.stringify(claimedAt) }
    }
    return admit({ resource, requestHash: '0x01', deliver }, payment)
  }
}

describe('a copy that loses its claim just as the first copy’s claim is given up', () => {
  test('is settling, not a conflict, and buys when it is sent again', async () => {
    const payment = aPayment()
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
    let first: Promise<PaymentOutcome> | undefined
    const two = paywall(
      {
        notesFirst: true,
        // By now it has seen that the payment is unclaimed.
        async verify() {
          first ??= one(payment)
          await claimed.promise
          return { kind: 'valid' }
        },
        settle: async () => ({ kind: 'settled', txHash: settledBy }),
      },
      {
        mined: () => settledBy,
        async onClaim() {
          lost.resolve()
          await first
        },
      },
    )
    expect((await two(payment)).kind).toBe('settling')
    expect((await first)?.kind).toBe('refused')
    expect((await two(payment)).kind).toBe('delivered')
  })
})

describe('a try that has waited for so long that a second one has taken over its claim', () => {
  /**
   * How both tries are answered, and then a third. The first one ends as `first` has it, after the
   * second has claimed the payment. Before that the second notes its transaction, or settles; by
   * default it does both later.
   */
  async function tries(
    first: (note: (txHash: string) => Promise<boolean>) => Promise<SettlementResult>,
    second: 'notes first' | 'settles first' | null = null,
  ) {
    const payment = aPayment()
    let mined: string | null = null
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
        if (second === 'settles first') mined = settledBy
        if (second !== null) await note(settledBy)
        takenOver.resolve()
        if (second !== 'settles first') await over.promise
        if (second === null && !(await note(settledBy))) return { kind: 'unknown' }
        const row =
          await db.sql`select tx_hash from x402_payments where tx_hash = ${toBytes(settledBy)}`
        expect(row).toHaveLength(1)
        mined = settledBy
        return { kind: 'settled', txHash: settledBy }
      },
    ]
    const facilitator: Facilitator = {
      notesFirst: true,
      verify: async () => ({ kind: 'valid' }),
      settle: async (_, __, note) => settles.shift()!(note),
    }
    const one = paywall(facilitator, { mined: () => mined })(payment)
    const send = paywall(facilitator, { mined: () => mined, claimedForMs: 0 })
    await claimed.promise
    // The claims of both are told apart by their milliseconds.
    await Bun.sleep(2)
    const two = send(payment)
    const ended = await one
    over.resolve()
    return { one: ended, two: await two, three: await send(payment) }
  }

  /** What was bought names the claim that it was bought by. */
  async function bought() {
    const [claim] = await db.sql`select created_at from x402_payments`
    return { status: 200, body: JSON.stringify(claim?.created_at) }
  }

  beforeEach(async () => {
    await db.sql`truncate x402_payments, transfer_uses`
  })

  test('leaves the claim to the second when it is refused: that one buys, and nobody is asked to pay again', async () => {
    const { one, two, three } = await tries(async () => {
      return { kind: 'refused', problem: 'settlement_unavailable' }
    })
    expect(one.kind).toBe('settling')
    expect(two).toMatchObject({ kind: 'delivered', answer: await bought() })
    expect(three).toMatchObject({ kind: 'repeat', answer: await bought() })
  })

  test('learns before it sends a transaction that the claim is no longer its own', async () => {
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
    const { one, two } = await tries(async () => ({ kind: 'untaken' }), 'notes first')
    expect(one).toMatchObject({ kind: 'pending', txHash: settledBy })
    expect(two.kind).toBe('delivered')
  })

  test('delivers, if it finds the payment on chain, as the second one does', async () => {
    const { one, two } = await tries(async () => ({ kind: 'unknown' }), 'settles first')
    expect([one, two]).toMatchObject([{ answer: await bought() }, { answer: await bought() }])
  })
})

test('a claim whose process has died is taken over after a minute, though the clock of that process was an hour ahead', async () => {
  const payment = aPayment()
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
  void dying(payment)
  await claimed.promise
  setSystemTime()
  const txHash = `0x${'8'.repeat(64)}`
  const facilitator: Facilitator = {
    notesFirst: true,
    verify: async () => ({ kind: 'valid' }),
    settle: async () => ({ kind: 'settled', txHash }),
  }
  const next = paywall(facilitator, { mined: () => txHash })
  expect((await next(payment)).kind).toBe('settling')
  await db.sql`update x402_payments set created_at = created_at - interval '61 seconds'`
  expect(await next(payment)).toMatchObject({ kind: 'delivered', payment: { txHash } })
})

test('a transfer of more than an hour ago buys only while it is held on record', async () => {
  const [from, txHash] = [`0x${'1'.repeat(40)}`, aTxHash()]
  const at = new Date(Date.now() - 7_200_000)
  const sold = { ...paid, from, blockTimeMs: at.getTime() }
  const buy = paywall({} as Facilitator, { transfers: [sold] })
  const sent: PaymentPayload = { kind: 'transfer', txHash, signature: '0x', payer: from }
  expect((await buy(sent)).kind).toBe('refused')
  await heldTransfer(db.sql, { usdcBase: 5_000n, from, to: option.payTo, txHash, at })
  expect((await buy(sent)).kind).toBe('delivered')
  expect((await buy(sent)).kind).toBe('repeat')
})
