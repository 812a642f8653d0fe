import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { lifetimeMs } from '../../../src/chain/solana/message.ts'
import { errorOf, gatewayRefusal, perCall } from '../../support/rpc-faults.ts'
import type { RpcAnswer } from '../../support/rpc-relay.ts'
import { startSolanaSale } from '../../support/solana-sale.ts'
import { faultOf } from '../subject.ts'

const { node, relay, txHash, minted, reader, messageIn, stop } = await startSolanaSale()
afterAll(stop)

type Options = { readonly before?: string; readonly commitment?: string }
type Most = Readonly<Record<string, number>>

describe('what a payer did long after signing', () => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const signatureOf = (number: number) => base58.encode(wordOf(number))
  const numberOf = (signature: string) => new DataView(base58.decode(signature).buffer).getUint32(0)

  function wordOf(number: number): Uint8Array {
    const bytes = new Uint8Array(64)
    new DataView(bytes.buffer).setUint32(0, number)
    return bytes
  }

  // Only what is final is passed over the next time.
  beforeAll(() => node.advance(26_000))

  /** One transaction a second, and ten slots between two. */
  const made = Array.from({ length: 2_500 }, (_, age) => ({
    signature: signatureOf(2_500 - age),
    slot: (2_500 - age) * 10,
    blockTime: nowMs / 1000 - age,
  }))

  type Made = typeof made

  /** What follows after so many of these, one in each slot. */
  const madeAfter = (count: number, more: number) =>
    Array.from({ length: more }, (_, age) => ({
      signature: signatureOf(count + more - age),
      slot: made.length * 9 + count + more - age,
      blockTime: nowMs / 1000,
    }))

  /**
   * A payer who has made all these, each read as the transaction that `shows` names, but with its
   * own signature. In each look, the node gives out after so many requests, or answers of a method.
   * It does not know the time of the `timeless` ones, and does not show those `tooNew`. Between two
   * looks he makes `more` of them. Every second page comes from one that lists `elsewhere`. The
   * first page of a look has the `firstListed` newest of them.
   */
  function busy({
    list = made,
    elsewhere = undefined as Made | undefined,
    firstListed = 1_000,
    more = 0,
    headMs = nowMs,
    stoodStillMs = 0,
    forgets = (_: string): boolean => false,
    isValid = false,
    shows = txHash,
    most = {} as Most,
    timeless = [] as readonly number[],
    tooNew = [] as readonly number[],
    mostCalls = Infinity,
    mostRequests = Infinity,
  } = {}) {
    const read: number[] = []
    let shown: Promise<RpcAnswer> | undefined
    const answered = new Map<string, number>()
    let looks = 0
    let requests = 0
    const answering = perCall(async (call, ask) => {
      const [of, { before, commitment } = {}] = call.params as [string, Options]
      if (call.method === 'isBlockhashValid') answered.clear()
      if (call.method === 'isBlockhashValid' && commitment === 'finalized' && looks++ > 0)
        list = [...madeAfter(list.length, more), ...list]
      const times = (answered.get(call.method) ?? 0) + 1
      answered.set(call.method, times)
      if (isValid && call.method === 'isBlockhashValid')
        return { id: call.id, result: { context: { slot: 26_000 }, value: true } }
      if (times > (most[call.method] ?? Infinity)) return errorOf(call.id, -32_000, 'given out')
      if (call.method === 'getTransaction') {
        if (tooNew.includes(numberOf(of))) return errorOf(call.id, -32_015, 'not supported')
        read.push(numberOf(of))
        if (of === txHash) return ask(call)
        shown ??= ask({ ...call, params: [shows, call.params[1]] })
        return { ...signedAs(of, await shown), id: call.id }
      }
      if (call.method === 'getBlockTime') return { id: call.id, result: headMs / 1000 }
      if (call.method === 'getSignatureStatuses')
        return { id: call.id, result: { value: [forgets(`${of}`) ? null : { err: null }] } }
      if (call.method !== 'getSignaturesForAddress') return ask(call)
      const there = elsewhere && times % 2 === 0 ? elsewhere : list
      const from = there.findIndex(({ signature }) => signature === before) + 1
      const to = from + (times === 1 ? firstListed : 1_000)
      const page = before && forgets(before) ? [] : there.slice(from, to)
      const result = page.map((one) => ({
        ...one,
        blockTime: timeless.includes(numberOf(one.signature))
          ? null
          : one.blockTime + stoodStillMs / 1000,
      }))
      return { id: call.id, result }
    })
    relay.misbehave((request, forward) => {
      if (request.some(({ method }) => method === 'isBlockhashValid')) requests = 0
      // Which chain it serves may be the first question of a look.
      const isCounted = request.some(({ method }) => method !== 'getGenesisHash')
      const isOver = isCounted && ++requests > mostRequests
      const answer = isOver ? gatewayRefusal(-32_000, 'given out') : answering
      const isTaken = request.length <= mostCalls
      return (isTaken ? answer : gatewayRefusal(-32_600, 'no batches'))(request, forward)
    })
    return read
  }

  /** A transaction as a node shows it in base64, with another first signature. */
  function signedAs(signature: string, answer: RpcAnswer): RpcAnswer {
    const shown = answer.result as { transaction: [string, string] }
    const wire = Buffer.from(shown.transaction[0], 'base64')
    wire.set(base58.decode(signature), 1)
    const result = { ...shown, transaction: [wire.toString('base64'), 'base64'] }
    return { ...answer, result }
  }

  const signed = (agoMs: number) => ({
    payer: node.wallet(0).publicKey.toBase58(),
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(nowMs - agoMs),
    validBefore: new Date(nowMs - agoMs + lifetimeMs),
  })

  test('is not read to find that his payment was not taken', async () => {
    const read = busy()
    expect(await reader().settlementOf(signed(1_800_000))).toBe('unpaid')
    const [first, last] = [Math.min(...read), Math.max(...read)]
    // The clocks may differ by ten minutes, and a message is good for no more than 1,000 slots.
    expect([first, last]).toEqual([2_500 - 2_400, 2_500 - 1_199 + 100])
  })

  /** How many looks it takes until one comes to an end, and that end. */
  async function looksAt(payment: ReturnType<typeof signed>, looker: ReturnType<typeof reader>) {
    for (let looks = 1; looks <= 20; looks++) {
      const outcome = await looker.settlementOf(payment).catch(() => null)
      if (outcome) return [looks, outcome]
    }
    return null
  }

  test('is read in several looks where there is no time for it in one, and nothing of it twice', async () => {
    // No batch is answered in part.
    const read = busy({ most: { getTransaction: 5 + 10 + 20 + 9 * 40 } })
    const looker = reader()
    expect(await looksAt(signed(1_800_000), looker)).toEqual([4, 'unpaid'])
    expect([read.length, new Set(read).size]).toEqual([1_302, 1_302])
  })

  test('is read in several looks however much it is, whatever else is looked for meanwhile', async () => {
    // Some twenty in each second, and nothing after what is to be read.
    const list = Array.from({ length: 26_000 }, (_, age) => ({
      signature: signatureOf(26_000 - age),
      slot: 26_000 - age,
      blockTime: Math.floor(nowMs / 1000 - 600 - age / 26),
    }))
    const looker = reader()
    const read = busy({ list, headMs: nowMs - 1_000_000, most: { getTransaction: 4_000 } })
    expect(await looker.settlementOf(signed(1_000_000)).catch(() => null)).toBeNull()
    expect(await looker.settlementOf(signed(1_010_000)).catch(() => null)).toBeNull()
    expect(await looksAt(signed(1_000_000), looker)).toContain('unknown')
    // In each look, one batch was not answered whole.
    expect(read.length).toBeLessThan(26_000 + 4_000 + 20 * 40)
  }, 60_000)

  test('is found where two nodes at one URL order what is in a slot differently, and a page ends in it', async () => {
    const at = { slot: 20_000, blockTime: nowMs / 1000 - 1_800 }
    const newer = Array.from({ length: 999 }, (_, age) => ({
      ...at,
      signature: signatureOf(2_000 - age),
      slot: 21_000 - age,
    }))
    const [taken, beside] = [txHash, signatureOf(1_000)].map((signature) => ({ ...at, signature }))
    const [list, elsewhere] = [[...newer, beside, taken] as Made, [...newer, taken, beside] as Made]
    const payment = { ...signed(1_800_000), ...(await messageIn(txHash)) }
    for (const [first, second] of [
      [list, elsewhere],
      [elsewhere, list],
    ] as const) {
      busy({ list: first, elsewhere: second, shows: minted })
      expect(await reader().settlementOf(payment)).toEqual({ txHash })
    }
  })

  test('is found where a node lists less than it was asked for, as where its long-term storage fails', async () => {
    const at = (number: number) => ({ slot: 20_000 + number, blockTime: nowMs / 1000 - 1_800 })
    const newer = Array.from({ length: 30 }, (_, age) => ({
      ...at(30 - age),
      signature: signatureOf(30 - age),
    }))
    const payment = { ...signed(1_800_000), ...(await messageIn(txHash)) }
    busy({ list: [...newer, { ...at(0), signature: txHash }], firstListed: 20, shows: minted })
    expect(await reader().settlementOf(payment)).toEqual({ txHash })
  })

  test('is read in several looks where it is in one slot', async () => {
    const at = { slot: 20_000, blockTime: nowMs / 1000 - 1_800 }
    const list = Array.from({ length: 400 }, (_, age) => ({
      ...at,
      signature: signatureOf(400 - age),
    }))
    const read = busy({ list, most: { getTransaction: 5 + 10 + 20 + 2 * 40 } })
    expect(await looksAt(signed(1_800_000), reader())).toEqual([4, 'unpaid'])
    expect([read.length, new Set(read).size]).toEqual([400, 400])
  })

  test('is read in several looks where it is in one slot, and in each look another node orders it differently', async () => {
    const list = Array.from({ length: 402 }, (_, age) => ({
      signature: signatureOf(402 - age),
      slot: age < 2 ? 20_001 : 20_000,
      blockTime: nowMs / 1000 - 1_800,
    }))
    const elsewhere = [...list.slice(0, 2).reverse(), ...list.slice(2).reverse()]
    const looker = reader()
    const outcomes: unknown[] = []
    while (!outcomes.includes('unpaid') && outcomes.length < 20) {
      const ordered = outcomes.length % 2 === 0 ? list : elsewhere
      busy({ list: ordered, most: { getTransaction: 5 + 10 + 20 + 2 * 40 } })
      outcomes.push(await looker.settlementOf(signed(1_800_000)).catch(() => null))
    }
    expect(outcomes).toEqual([null, null, null, 'unpaid'])
  })

  test('is read in several looks where it is too dense for its end to be listed in one', async () => {
    // Three in each slot.
    const later = Array.from({ length: 5_000 }, (_, age) => ({
      signature: signatureOf(6_000 - age),
      slot: 25_000 - Math.floor(age / 3),
      blockTime: nowMs / 1000,
    }))
    busy({ list: [...later, ...made.slice(-100)], most: { getSignaturesForAddress: 2 } })
    expect(await looksAt(signed(1_800_000), reader())).toContain('unpaid')
  })

  test.each([
    ['takes no batches', { mostRequests: 35, mostCalls: 1 }],
    ['does not show one of them', { mostRequests: 25, tooNew: [2_500 - 1_215] }],
  ])('is read in several looks by a slow node that %s', async (_, slow) => {
    busy({ list: made.slice(1_200, 1_230), ...slow })
    expect(await looksAt(signed(1_800_000), reader())).toContain('unpaid')
  })

  test('is listed in several looks where there is no time for it in one', async () => {
    busy({ most: { getSignaturesForAddress: 2 } })
    expect(await looksAt(signed(1_800_000), reader())).toEqual([2, 'unpaid'])
  })

  test('is listed in several looks though he goes on faster than it is listed', async () => {
    busy({ more: 5_000, most: { getSignaturesForAddress: 2 } })
    expect(await looksAt(signed(1_800_000), reader())).toEqual([2, 'unpaid'])
  })

  test('is not believed to be all where the node no longer knows at which transaction its list went on', async () => {
    busy({ forgets: () => true })
    expect(await faultOf(reader().settlementOf(signed(1_800_000)))).toBe('lagging')
  })

  test('is listed from the newest again where the node no longer knows the place that was reached', async () => {
    const looker = reader()
    busy({ most: { getSignaturesForAddress: 2 } })
    expect(await looker.settlementOf(signed(1_800_000)).catch(() => null)).toBeNull()
    let gone: string | undefined
    const forgets = (signature: string) => {
      gone ??= signature
      return gone === signature
    }
    busy({ forgets })
    expect(await faultOf(looker.settlementOf(signed(1_800_000)))).toBe('lagging')
    busy({ list: made.filter(({ signature }) => signature !== gone), forgets })
    expect(await looker.settlementOf(signed(1_800_000))).toBe('unpaid')
  })

  test('is listed from the newest in each look while a block can still take his payment', async () => {
    const [list, looker] = [made.slice(0, 200), reader()]
    const payment = { ...signed(0), ...(await messageIn(txHash)) }
    busy({ list, shows: minted, isValid: true, most: { getTransaction: 100 } })
    expect(await looker.settlementOf(payment).catch(() => null)).toBeNull()
    const taken = { signature: txHash, slot: 26_000, blockTime: nowMs / 1000 }
    busy({ list: [taken, ...list], shows: minted, isValid: true, most: { getTransaction: 100 } })
    expect(await looker.settlementOf(payment)).toEqual({ txHash })
  })

  test('is read where the chain stood still after it was signed, whatever the time', async () => {
    const read = busy({ stoodStillMs: 36_000_000 })
    await reader().settlementOf(signed(2_400_000))
    expect(read.length).toBe(101)
  })

  test('is read to its end though a node does not know the time of each', async () => {
    const read = busy({ timeless: [700, 1_501] })
    expect(await reader().settlementOf(signed(1_800_000))).toBe('unpaid')
    expect(Math.min(...read)).toBe(2_500 - 2_400)
  })
})
