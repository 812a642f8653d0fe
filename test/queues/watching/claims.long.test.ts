import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import * as ClaimRows from '../../../src/storage/settlement/claims.ts'
import { claimSettled } from '../../../src/storage/x402/payments.ts'
import { aTxHash, claimsOn, heldTransfer, operatorKey, signedClaim } from '../../support/claims.ts'
import type { EvmNode } from '../../support/evm-node.ts'
import { newClaim } from '../../support/paywall.ts'
import type { TestDatabase } from '../../support/postgres.ts'
import { statedBy } from '../../support/receipts.ts'
import { accountId, type During, due, startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * A watcher and claims on one database, stepped by hand, so that either can interrupt the other.
 */

const ours = accountId
const theirs = '0190a000-0000-7000-8000-000000000002'

let stand: WatchStand
let node: EvmNode
let database: TestDatabase
let payer: string

beforeEach(async () => {
  stand = await startWatchStand()
  ;({ node, database } = stand)
  payer = node.wallet(1).address.toLowerCase()
})
afterEach(() => stand.stop())

const watcher = (during: During = {}) => stand.watcher({ during })

function claims(beforeCommit?: () => unknown) {
  return claimsOn(database.sql, beforeCommit)
}

/** Opens an invoice dated `ageMs` ago. */
async function openInvoice(of: string, over: Partial<Terms> = {}, ageMs = 60_000) {
  return (await stand.openInvoice(over, ageMs, of)).id
}

function pay(usdcBase = due) {
  return node.transfer({ from: payer, to: wallet, usdcBase })
}

async function claim(invoiceId: string, txHash: string, through = claims()) {
  const { privateKey } = node.wallet(1)
  return through.claim(invoiceId, await signedClaim({ invoiceId, txHash, privateKey }))
}

async function standing(id: string) {
  const [invoice] = await loadMany(database.sql, [id])
  const payments = invoice?.progress.payments.map(({ matchedBy }) => matchedBy)
  return [invoice?.state, ...(payments ?? [])]
}

function held() {
  return database.sql<{ held_as: string }[]>`select held_as from transfers where invoice_id is null`
}

describe('what invoices name as their payer', () => {
  test('makes a payment theirs among however many older ones of one account', async () => {
    for (let n = 0; n < 20; n++) await openInvoice(ours)
    const naming = await openInvoice(ours, { payer }, 30_000)
    const watch = watcher()
    await watch.step()
    await pay()
    await watch.step()
    expect(await standing(naming)).toEqual(['paid', 'payer'])
  })

  test('takes nothing from another account, whoever was first', async () => {
    const victim = await openInvoice(ours)
    const thief = await openInvoice(theirs, { payer }, 90_000)
    const watch = watcher()
    await watch.step()
    await pay()
    await watch.step()
    expect(await standing(victim)).toEqual(['draft'])
    expect(await standing(thief)).toEqual(['draft'])
    expect([...(await held())]).toEqual([{ held_as: 'ambiguous' }])
  })

  test('nor by an invoice made more than a minute after the payment', async () => {
    const victim = await openInvoice(ours)
    const watch = watcher()
    await watch.step()
    await pay()
    const sniper = await openInvoice(theirs, { payer }, -90_000)
    await watch.step()
    expect(await standing(victim)).toEqual(['paid', 'amount'])
    expect(await standing(sniper)).toEqual(['draft'])
  })
})

/**
 * A payment that fits invoices of two accounts and was not read yet. `invoiceId` is one of the
 * invoices.
 */
async function ambiguousPayment() {
  const invoiceId = await openInvoice(ours)
  await openInvoice(theirs)
  await watcher().step()
  return { invoiceId, txHash: await pay() }
}

describe('a claim in the middle of a step', () => {
  test('that confirms the transfer: the step gives way, the next one settles', async () => {
    const { invoiceId, txHash } = await ambiguousPayment()
    await watcher().step()
    await node.mine(5)
    const interrupted = watcher({
      async commit() {
        expect((await claim(invoiceId, txHash)).status).toBe('credited')
      },
    })
    expect((await interrupted.step()).isAdvancing).toBe(false)
    expect(await standing(invoiceId)).toEqual(['paid', 'claim'])
    await watcher().step()
    expect(await standing(invoiceId)).toEqual(['settled', 'claim'])
  })

  test('that takes the transfer back: the step gives way, the next one reverts it', async () => {
    const { invoiceId, txHash } = await ambiguousPayment()
    await watcher().step()
    await node.reorg(1)
    const interrupted = watcher({
      async commit() {
        await claim(invoiceId, txHash)
      },
    })
    await interrupted.step()
    expect(await standing(invoiceId)).toEqual(['paid', 'claim'])
    await watcher().step()
    expect(await standing(invoiceId)).toEqual(['draft'])
  })

  test.each([
    ['', 0],
    [', also where its process’s clock is an hour behind', -3_600_000],
  ])(
    'that had looked for claims already: it is found out, and applied once%s',
    async (_, aheadMs) => {
      const { invoiceId, txHash } = await ambiguousPayment()
      const interrupted = watcher({
        async commit() {
          setSystemTime(new Date(Date.now() + aheadMs))
          const { status } = await claim(invoiceId, txHash).finally(() => setSystemTime())
          expect(status).toBe('pending')
        },
      })
      await interrupted.step()
      expect(await standing(invoiceId)).toEqual(['draft'])
      expect(await claims().recoverDue()).toBe(1)
      expect(await standing(invoiceId)).toEqual(['paid', 'claim'])
      expect(await claims().recoverDue()).toBe(0)
    },
  )
})

describe('of claims that the watcher overlooked', () => {
  /** Keeps a claim as if its transaction had not been recorded yet. */
  async function overlooked(invoiceId: string, txHash: string): Promise<void> {
    const { privateKey } = node.wallet(1)
    const { signature } = await signedClaim({ invoiceId, txHash, privateKey })
    const said = { chain: 'base', txHash, payer, invoiceId, madeBy: 'claim', signature } as const
    await ClaimRows.keepClaim(database.sql, said, { waiting: 20, all: 1_000 })
  }

  async function heldTwice(): Promise<string> {
    const { sql } = database
    const txHash = aTxHash()
    await heldTransfer(sql, { usdcBase: due, from: payer, to: wallet, txHash })
    await sql`insert into transfers select chain, tx_hash, 4, block_number, block_hash, block_time, from_address, to_address, usdc_base,
      state, invoice_id, matched_by, held_as, created_at from transfers`
    return txHash
  }

  const found = async () =>
    (await ClaimRows.overlookedClaims(database.sql)).map(({ invoiceId }) => invoiceId)

  test('the oldest are applied first', async () => {
    const txHash = await heldTwice()
    const ids = await Promise.all([openInvoice(ours), openInvoice(ours), openInvoice(ours)])
    const inTurn = ids.toSorted().toReversed()
    for (const id of inTurn) await overlooked(id, txHash)
    expect(await found()).toEqual(inTurn)
    expect(await claims().recoverDue()).toBe(2)
    const states = inTurn.map(async (id) => (await standing(id))[0])
    expect(await Promise.all(states)).toEqual(['settled', 'settled', 'draft'])
  })

  test('those for what expired are found, and none for what is voided or covered', async () => {
    const txHash = await heldTwice()
    const [expired, voided, covered] = [
      await openInvoice(ours, { dueAt: new Date(Date.now() - 1_000).toISOString() }),
      await openInvoice(ours),
      await openInvoice(ours),
    ]
    for (const id of [expired, voided, covered]) await overlooked(id, txHash)
    await close(expired, 'expire')
    await close(voided, 'void')
    await claim(covered, txHash)
    expect(await found()).toEqual([expired])
  })

  async function close(id: string, kind: 'void' | 'expire'): Promise<void> {
    const [before] = await loadMany(database.sql, [id])
    const at = new Date()
    const after = evolve(before, decide(before, { kind }, at), at)
    if (!before || !after) throw new Error('there is an invoice')
    await updateAll(database.sql, [{ before, after, entry: { types: 'invoice.sent', data: null } }])
  }
})

describe('a step in the middle of a claim', () => {
  /** Claims during which the watcher takes a step, between the first look and the commit. */
  function interrupted() {
    let steps = 0
    return claims(async () => {
      if (steps++ === 0) await watcher().step()
    })
  }

  test('that confirms the transfer: the claim is judged anew, and settles at once', async () => {
    const { invoiceId, txHash } = await ambiguousPayment()
    await watcher().step()
    await node.mine(5)
    expect((await claim(invoiceId, txHash, interrupted())).status).toBe('credited')
    expect(await standing(invoiceId)).toEqual(['settled', 'claim'])
  })

  test('that takes the transfer back: the claim waits for it to come again', async () => {
    const { invoiceId, txHash } = await ambiguousPayment()
    await watcher().step()
    await node.reorg(1)
    expect((await claim(invoiceId, txHash, interrupted())).status).toBe('pending')
    expect(await standing(invoiceId)).toEqual(['draft'])
  })
})

describe('of three claimed payments, of which the oldest two cover what is due', () => {
  /**
   * Pays three times and claims all, the older large payment last. The third payment is `depth`
   * blocks below the head.
   */
  async function settledBy(depth: number) {
    const invoiceId = await openInvoice(ours)
    await watcher().step()
    const [small, large] = [await pay(2_500_000n), await pay(11_875_000n)]
    await node.mine(3)
    const third = await pay(1_250_000n)
    if (depth > 0) await node.mine(depth)
    await watcher().step()
    for (const txHash of [small, third, large]) await claim(invoiceId, txHash)
    return { invoiceId, small, large, third }
  }

  /** For each receipt whether it is revoked, and the transactions of its transfers. */
  async function receipts() {
    const { sql } = database
    const rows = await sql<{ id: string; revoked: boolean }[]>`
      select id, revoked_at is not null as revoked from receipts order by issued_at`
    return Promise.all(
      rows.map(async ({ id, revoked }) => [revoked, ...(await statedBy(sql, id)).txHashes]),
    )
  }

  test('the third one, reorganised away before it is confirmed, was in no receipt', async () => {
    const { invoiceId, small, large } = await settledBy(0)
    expect(await standing(invoiceId)).toEqual(['settled', 'claim', 'claim', 'claim'])
    await node.reorg(1)
    await watcher().step()
    expect(await standing(invoiceId)).toEqual(['settled', 'claim', 'claim'])
    expect(await receipts()).toEqual([[false, small, large]])
  })

  test('the third one, reorganised away afterwards, takes its receipt along, and the rest is receipted anew', async () => {
    const { invoiceId, small, large, third } = await settledBy(4)
    await node.reorg(5)
    await node.mine(5)
    await watcher().step()
    expect(await standing(invoiceId)).toEqual(['settled', 'claim', 'claim'])
    expect(await receipts()).toEqual([
      [true, small, third, large],
      [false, small, large],
    ])
  })
})

test('what an operator has assigned is credited again when it is mined again', async () => {
  const invoiceId = await openInvoice(ours)
  const watch = watcher()
  await watch.step()
  const signed = await stand.sign({ from: 1, usdcBase: 7n })
  await stand.mined(signed)
  await watch.step()
  const [transfer] = await database.sql<{ txHash: string; position: number }[]>`
    select '0x' || encode(tx_hash, 'hex') as "txHash", position from transfers`
  const { txHash = '', position = 0 } = transfer ?? {}
  await claims().assign(
    { chain: 'base', txHash, position },
    invoiceId,
    await operatorKey(database.sql),
  )
  expect(await standing(invoiceId)).toEqual(['draft', 'operator'])
  await node.reorg(1)
  await watch.step()
  expect(await standing(invoiceId)).toEqual(['draft'])
  await stand.mined(signed)
  await watch.step()
  expect(await standing(invoiceId)).toEqual(['draft', 'operator'])
})

describe('a transfer that buys something by x402', () => {
  const price = 10_000n

  /**
   * Claims a transfer as a paid endpoint does when the payer names it. Answers whether it got it.
   */
  async function sell(txHash: string): Promise<boolean> {
    const claim = newClaim({ key: txHash, network: 'base', payer, txHash })
    return (await claimSettled(database.sql, claim, { txHash, position: 0 })) !== null
  }

  test('is left to its payer until it is certain, whoever is due its amount', async () => {
    const invoiceId = await openInvoice(theirs, { dueUsdcBase: price })
    const watch = watcher()
    await watch.step()
    const txHash = await pay(price)
    await watch.step()
    expect(await standing(invoiceId)).toEqual(['draft'])
    expect(await sell(txHash)).toBe(true)
    await node.mine(5)
    await watch.step()
    expect(await standing(invoiceId)).toEqual(['draft'])
    expect([...(await held())]).toEqual([{ held_as: 'unmatched' }])
  })

  test('and that nobody sold anything for settles the invoice of its amount once it is certain', async () => {
    const invoiceId = await openInvoice(theirs, { dueUsdcBase: price })
    const watch = watcher()
    await watch.step()
    const txHash = await pay(price)
    await watch.step()
    await node.mine(5)
    await watch.step()
    expect(await standing(invoiceId)).toEqual(['settled', 'amount'])
    expect(await sell(txHash)).toBe(false)
  })

  test('in the middle of a step pays no invoice: the step gives way, the next one holds it', async () => {
    const invoiceId = await openInvoice(ours)
    await watcher().step()
    const txHash = await pay()
    const interrupted = watcher({
      async commit() {
        expect(await sell(txHash)).toBe(true)
      },
    })
    await interrupted.step()
    expect(await standing(invoiceId)).toEqual(['draft'])
    await watcher().step()
    expect(await standing(invoiceId)).toEqual(['draft'])
    expect([...(await held())]).toEqual([{ held_as: 'unmatched' }])
  })

  test('and a step at the same moment: one of the two has it, fifty times', async () => {
    await watcher().step()
    for (let round = 0; round < 50; round++) {
      const amount = due + BigInt(round)
      const invoiceId = await openInvoice(ours, { dueUsdcBase: amount })
      const txHash = await pay(amount)
      let selling: Promise<boolean> | undefined
      const racing = watcher({
        commit() {
          selling = sell(txHash)
        },
      })
      await racing.step()
      const isSold = await selling
      const [state] = await standing(invoiceId)
      expect([state, isSold]).toBeOneOf([
        ['paid', false],
        ['draft', true],
      ])
    }
  })

  test('and is sold for in the middle of a claim: the claim is refused', async () => {
    const { invoiceId, txHash } = await ambiguousPayment()
    await watcher().step()
    const interrupted = claims(() => sell(txHash))
    await expect(claim(invoiceId, txHash, interrupted)).rejects.toThrow('has another use')
    expect(await standing(invoiceId)).toEqual(['draft'])
  })
})
