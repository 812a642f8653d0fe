import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Hex, keccak256 } from 'viem'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { salesUsdcBase } from '../../../src/domain/x402/pricing.ts'
import { findShown } from '../../../src/storage/settlement/transfer-lists.ts'
import { aTxHash, claimsOn, operatorKey, signedClaim } from '../../support/claims.ts'
import { transferCall } from '../../support/evm-node.ts'
import { startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * An exchange pays several invoices of its customers with transfers in one transaction, and an
 * operator assigns one of them.
 */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** Signed transfers of the exchange to the shared wallet, without references. */
function fromWallet(amounts: readonly bigint[]): Promise<readonly Hex[]> {
  const from = stand.node.wallet(1)
  const signed = (usdcBase: bigint) =>
    stand.node.signedAuthorization({ from, to: wallet, usdcBase, reference: aTxHash() })
  return Promise.all(amounts.map(signed))
}

/**
 * An open invoice over 10 USDC, and a transaction with these transfers that is recorded as held.
 */
async function heldBatch(calls: readonly Hex[]) {
  const watch = stand.watcher()
  const invoice = await stand.openInvoice({ dueUsdcBase: 10_000_000n })
  await watch.step()
  const signed = await stand.signBatch(calls)
  const txHash = await stand.mined(signed)
  await watch.step()
  return { watch, invoice, signed, txHash }
}

/**
 * Assigns, as an operator, the first held transfer of this amount. Answers the id of the operator's
 * key.
 */
async function assign(
  { id }: Invoice,
  usdcBase: bigint,
  claims = claimsOn(stand.database.sql),
): Promise<string> {
  const { sql } = stand.database
  const [held] = await sql<{ txHash: string; position: number }[]>`
    select '0x' || encode(tx_hash, 'hex') as "txHash", position from transfers where usdc_base = ${usdcBase} and held_as is not null order by position`
  const { txHash = '', position = 0 } = held ?? {}
  const keyId = await operatorKey(sql)
  await claims.assign({ chain: 'base', txHash, position }, id, keyId)
  return keyId
}

/**
 * Mines the batch again behind so many other transactions, the first ones of their sender, so that
 * its logs have other indexes.
 */
async function mineAgain(signed: Hex, others = 1): Promise<void> {
  const elsewhere = { from: 1, to: `0x${'bb'.repeat(20)}`, usdcBase: 1n }
  const before = await Promise.all(
    Array.from({ length: others }, (_, nonce) => stand.sign({ ...elsewhere, nonce })),
  )
  await stand.node.reorg(
    1,
    [...before, signed].map((raw) => [raw, 0]),
  )
}

/** Mines the batch again a block later, where its logs have the indexes they had. */
async function mineLater(signed: Hex): Promise<void> {
  await stand.node.mine(1)
  await stand.node.reorg(2, [[signed, 1]])
}

async function creditedTo(invoice: Invoice): Promise<readonly bigint[]> {
  const { payments } = (await stand.now(invoice)).progress
  return payments.map(({ usdcBase }) => usdcBase)
}

describe('an operator who assigns one transfer has assigned no other', () => {
  test('whatever the sweep finds', async () => {
    const { invoice } = await heldBatch(await fromWallet([4_000_000n, 5_000_000n]))
    await assign(invoice, 4_000_000n)
    expect(await claimsOn(stand.database.sql).recoverDue()).toBe(0)
    expect(await creditedTo(invoice)).toEqual([4_000_000n])
  })

  test.each([
    ['of another amount', 5_000_000n],
    ['of the same', 4_000_000n],
  ])('when all are mined again, in another place, one %s beside it', async (_, other) => {
    const { watch, invoice, signed } = await heldBatch(await fromWallet([4_000_000n, other]))
    await assign(invoice, 4_000_000n)
    await mineAgain(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([4_000_000n])
    await stand.node.reorg(1)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([])
    await stand.mined(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([4_000_000n])
  })

  test('when all are mined again a block later, in the same places, one of the same amount beside it', async () => {
    const { watch, invoice, signed } = await heldBatch(await fromWallet([4_000_000n, 4_000_000n]))
    await assign(invoice, 4_000_000n)
    await mineLater(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([4_000_000n])
    await assign(invoice, 4_000_000n)
    expect(await creditedTo(invoice)).toEqual([4_000_000n, 4_000_000n])
    await mineLater(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([4_000_000n, 4_000_000n])
  })

  test('when all are mined again twice, each time in another place', async () => {
    const { watch, invoice, signed } = await heldBatch(await fromWallet([4_000_000n, 4_000_000n]))
    await assign(invoice, 4_000_000n)
    for (const others of [3, 6]) {
      await mineAgain(signed, others)
      await watch.step()
      expect(await creditedTo(invoice)).toEqual([4_000_000n])
    }
  })

  test('when in that moment all are mined again, and another one takes its place', async () => {
    const transfers = [4_000_000n, 3_000_000n].map((usdcBase) =>
      transferCall({ to: wallet, usdcBase }),
    )
    const { watch, invoice, signed } = await heldBatch(transfers)
    let isMoved = false
    const interrupted = claimsOn(stand.database.sql, async () => {
      if (isMoved) return
      isMoved = true
      await mineAgain(signed)
      await watch.step()
    })
    const assigned = assign(invoice, 3_000_000n, interrupted)
    expect(await assigned.catch(({ reason }) => reason)).toBe('invalid_state')
    expect(await creditedTo(invoice)).toEqual([])
    await assign(invoice, 3_000_000n)
    expect(await creditedTo(invoice)).toEqual([3_000_000n])
  })

  test('when another one beside it may be a purchase', async () => {
    const [price = 0n] = salesUsdcBase
    const transfers = [4_000_000n, price].map((usdcBase) => transferCall({ to: wallet, usdcBase }))
    const { watch, invoice } = await heldBatch(transfers)
    await assign(invoice, 4_000_000n)
    await stand.node.mine(5)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([4_000_000n])
    const [held] = await stand.database
      .sql`select held_as from transfers where usdc_base = ${price}`
    expect({ ...held }).toEqual({ held_as: 'unmatched' })
  })
})

describe('what is mined again', () => {
  test('is credited again transfer by transfer as it was assigned, and shows who assigned it', async () => {
    const { watch, invoice, signed, txHash } = await heldBatch(
      await fromWallet([2_000_000n, 3_000_000n, 2_000_000n]),
    )
    const first = await assign(invoice, 2_000_000n)
    const second = await assign(invoice, 2_000_000n)
    await mineAgain(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([2_000_000n, 2_000_000n])
    const { sql } = stand.database
    const transfers = await sql<{ position: number }[]>`
      select position from transfers where state = 'seen' order by position`
    const shown = await Promise.all(
      transfers.map(({ position }) => findShown(sql, { chain: 'base', txHash, position })),
    )
    const [a, b, c] = shown.map((transfer) => transfer?.assignedBy)
    expect([first, second]).toContain(a ?? '')
    expect(b).toBeNull()
    expect([first, second]).toContain(c ?? '')
  })

  test('is credited as its payer has claimed besides', async () => {
    const { watch, invoice, signed, txHash } = await heldBatch(
      await fromWallet([2_000_000n, 3_000_000n]),
    )
    await assign(invoice, 2_000_000n)
    const { privateKey } = stand.node.wallet(1)
    const proof = await signedClaim({ invoiceId: invoice.id, txHash, privateKey })
    await claimsOn(stand.database.sql).claim(invoice.id, proof)
    expect(await creditedTo(invoice)).toEqual([2_000_000n, 3_000_000n])
    await mineAgain(signed)
    await watch.step()
    expect(await creditedTo(invoice)).toEqual([2_000_000n, 3_000_000n])
  })
})

describe('of two payments of one transaction, of which the second is claimed,', () => {
  /** The first pays an invoice by its amount; the second is what is claimed, or a part of it. */
  async function claimedBeside(claimedUsdcBase = 5_000_000n) {
    const watch = stand.watcher()
    const byAmount = await stand.openInvoice({ dueUsdcBase: 4_000_000n }, 60_000)
    await watch.step()
    const signed = await stand.signBatch(await fromWallet([4_000_000n, 5_000_000n]))
    const txHash = await stand.mined(signed)
    await watch.step()
    const claimed = await stand.openInvoice({ dueUsdcBase: claimedUsdcBase })
    await claim(claimed, txHash)
    expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [5_000_000n]])
    return { watch, signed, txHash, byAmount, claimed }
  }

  async function claim({ id: invoiceId }: Invoice, txHash: Hex): Promise<void> {
    const { privateKey } = stand.node.wallet(1)
    const proof = await signedClaim({ invoiceId, txHash, privateKey })
    await claimsOn(stand.database.sql).claim(invoiceId, proof)
  }

  const standing = (...invoices: readonly Invoice[]) => Promise.all(invoices.map(creditedTo))

  test('each keeps its invoice when they are mined again in another place', async () => {
    const { watch, signed, byAmount, claimed } = await claimedBeside()
    await mineAgain(signed)
    await watch.step()
    expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [5_000_000n]])
  })

  test.each([5_000_000n, 6_000_000n])(
    'each has its invoice again when they were gone for a step, where %s is due of that',
    async (claimedUsdcBase) => {
      const { watch, signed, byAmount, claimed } = await claimedBeside(claimedUsdcBase)
      await stand.node.reorg(1)
      await watch.step()
      expect(await standing(byAmount, claimed)).toEqual([[], []])
      await stand.mined(signed)
      await watch.step()
      expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [5_000_000n]])
    },
  )

  test('each has its invoice again though a part of what is claimed comes back after them', async () => {
    const watch = stand.watcher()
    const byAmount = await stand.openInvoice({ dueUsdcBase: 4_000_000n }, 60_000)
    const claimed = await stand.openInvoice({ dueUsdcBase: 6_000_000n })
    await watch.step()
    const signed = await stand.signBatch(await fromWallet([4_000_000n, 5_000_000n]))
    const { reference } = claimed.terms
    const part = await stand.sign({ from: 1, usdcBase: 1_000_000n, reference })
    await stand.mined(part)
    const txHash = await stand.mined(signed)
    await watch.step()
    await claim(claimed, txHash)
    expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [1_000_000n, 5_000_000n]])
    await stand.node.reorg(2)
    await watch.step()
    expect(await standing(byAmount, claimed)).toEqual([[], []])
    await stand.mined(signed)
    await watch.step()
    expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [5_000_000n]])
    await stand.mined(part)
    await watch.step()
    expect(await standing(byAmount, claimed)).toEqual([[4_000_000n], [5_000_000n, 1_000_000n]])
  })

  test('both claimed before they are on record, each pays its invoice', async () => {
    const watch = stand.watcher()
    await watch.step()
    const signed = await stand.signBatch(await fromWallet([3_000_000n, 5_000_000n]))
    const [first, second] = [
      await stand.openInvoice({ dueUsdcBase: 5_000_000n }),
      await stand.openInvoice({ dueUsdcBase: 5_000_000n }),
    ]
    await claim(first, keccak256(signed))
    await claim(second, keccak256(signed))
    await stand.mined(signed)
    await watch.step()
    expect(await standing(first, second)).toEqual([[5_000_000n], [3_000_000n]])
  })

  test.each([
    ['before they are on record', true],
    ['while they are unconfirmed', false],
  ])('both claimed %s, each pays its invoice, though one may be a purchase', async (_, isAhead) => {
    const watch = stand.watcher()
    await watch.step()
    const [price = 0n] = salesUsdcBase
    const signed = await stand.signBatch(await fromWallet([4_000_000n, price]))
    const [small, large] = [
      await stand.openInvoice({ dueUsdcBase: price }, -600_000),
      await stand.openInvoice({ dueUsdcBase: 4_000_000n }, -600_000),
    ]
    const claimBoth = async () => {
      await claim(small, keccak256(signed))
      await claim(large, keccak256(signed))
    }
    if (isAhead) await claimBoth()
    await stand.mined(signed)
    await watch.step()
    if (!isAhead) await claimBoth()
    expect(await standing(small, large)).toEqual([[price], [4_000_000n]])
  })

  test('and the other one names the same invoice, both pay it once they are on record', async () => {
    const watch = stand.watcher()
    const invoice = await stand.openInvoice({ dueUsdcBase: 6_000_000n })
    await watch.step()
    const from = stand.node.wallet(1)
    const { reference } = invoice.terms
    const named = await stand.node.signedAuthorization({
      from,
      to: wallet,
      usdcBase: 4_000_000n,
      reference,
    })
    const signed = await stand.signBatch([...(await fromWallet([7_000_000n])), named])
    await claim(invoice, keccak256(signed))
    await stand.mined(signed)
    await watch.step()
    expect(await standing(invoice)).toEqual([[4_000_000n, 7_000_000n]])
  })

  test('both held, the first can be claimed for its own invoice afterwards', async () => {
    const watch = stand.watcher()
    await watch.step()
    const txHash = await stand.mined(
      await stand.signBatch(await fromWallet([4_000_000n, 5_000_000n])),
    )
    await watch.step()
    const [first, second] = [
      await stand.openInvoice({ dueUsdcBase: 4_000_000n }),
      await stand.openInvoice({ dueUsdcBase: 5_000_000n }),
    ]
    await claim(second, txHash)
    expect(await standing(first, second)).toEqual([[], [5_000_000n]])
    await claim(first, txHash)
    expect(await standing(first, second)).toEqual([[4_000_000n], [5_000_000n]])
  })
})
