import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { lifetimeMs } from '../../../src/chain/solana/message.ts'
import { errorOf, perCall } from '../../support/rpc-faults.ts'
import type { RpcAnswer } from '../../support/rpc-relay.ts'
import { startSolanaSale } from '../../support/solana-sale.ts'
import { faultOf } from '../subject.ts'

const { node, relay, txHash, minted, reader, messageIn, stop } = await startSolanaSale()
afterAll(stop)

type Options = { readonly before?: string; readonly commitment?: string }
type Most = Readonly<Record<string, number>>

describe('a search of a busy payer', () => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const signatureOf = (number: number) => base58.encode(wordOf(number))
  const numberOf = (signature: string) => new DataView(base58.decode(signature).buffer).getUint32(0)

  function wordOf(number: number): Uint8Array {
    const bytes = new Uint8Array(64)
    new DataView(bytes.buffer).setUint32(0, number)
    return bytes
  }

  // Only final transactions are skipped in the next search.
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
   * A payer with the transactions `list`, each read as the transaction `shows` under its own
   * signature. In each search the node gives out after the `most` answers of a method. It does not
   * know the time of the `timeless` ones. Between two searches the payer makes `more` of them.
   * Every second page lists `elsewhere`. The first page has the `firstListed` newest.
   */
  function busy({
    list = made,
    elsewhere = undefined as Made | undefined,
    firstListed = 1_000,
    more = 0,
    headMs = nowMs,
    forgets = (_: string): boolean => false,
    isValid = false,
    shows = txHash,
    most = {} as Most,
    timeless = [] as readonly number[],
  } = {}) {
    const read: number[] = []
    let shown: Promise<RpcAnswer> | undefined
    const answered = new Map<string, number>()
    let looks = 0
    relay.misbehave(
      perCall(async (call, ask) => {
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
          blockTime: timeless.includes(numberOf(one.signature)) ? null : one.blockTime,
        }))
        return { id: call.id, result }
      }),
    )
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

  /** The number of searches until one comes to an end, and its outcome. */
  async function searchesUntilEnd(
    payment: ReturnType<typeof signed>,
    looker: ReturnType<typeof reader>,
  ) {
    for (let looks = 1; looks <= 20; looks++) {
      const outcome = await looker.settlementOf(payment).catch(() => null)
      if (outcome) return [looks, outcome]
    }
    return null
  }

  /** Searches that run out of time, as on a slow machine, are tried again. */
  async function faultAtEnd(looker: ReturnType<typeof reader>): Promise<string | undefined> {
    const fault = await faultOf(looker.settlementOf(signed(1_800_000)))
    return fault === 'range_refused' ? faultAtEnd(looker) : fault
  }

  test('continues where the last one ran out of time, and reads no more than the batch that was cut off twice', async () => {
    // No batch of sixty is answered in part.
    const read = busy({ most: { getTransaction: 600 } })
    const looker = reader()
    expect(await searchesUntilEnd(signed(1_800_000), looker)).toContain('unpaid')
    expect(new Set(read).size).toBe(2_401)
    // The last of each page may be read again, on a busy machine also what ran out of time.
    expect(read.length).toBeLessThan(2_401 + 10 + 5 * 60)
  })

  test('comes to an end however much there is, with other searches in between', async () => {
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
    expect(await searchesUntilEnd(signed(1_000_000), looker)).toContain('unknown')
    // In each search, one batch was not answered whole, and the last slot is read again.
    expect(read.length).toBeLessThan(26_000 + 4_000 + 20 * 120)
  })

  test('finds a payment where a page ends within a slot that two nodes at one URL order differently', async () => {
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
      expect(await searchesUntilEnd(payment, reader())).toContainEqual({ txHash })
    }
  })

  test('finds a payment where the node lists less than it was asked for, as when its storage fails', async () => {
    const at = (number: number) => ({ slot: 20_000 + number, blockTime: nowMs / 1000 - 1_800 })
    const newer = Array.from({ length: 30 }, (_, age) => ({
      ...at(30 - age),
      signature: signatureOf(30 - age),
    }))
    const payment = { ...signed(1_800_000), ...(await messageIn(txHash)) }
    busy({ list: [...newer, { ...at(0), signature: txHash }], firstListed: 20, shows: minted })
    expect(await searchesUntilEnd(payment, reader())).toContainEqual({ txHash })
  })

  test('continues where listing ran out of time', async () => {
    busy({ most: { getSignaturesForAddress: 2 } })
    expect(await searchesUntilEnd(signed(1_800_000), reader())).toContain('unpaid')
  })

  test('continues although the payer pays faster than the node lists', async () => {
    busy({ more: 5_000, most: { getSignaturesForAddress: 2 } })
    expect(await searchesUntilEnd(signed(1_800_000), reader())).toContain('unpaid')
  })

  test('proves nothing where the node no longer knows the transaction its list continued after', async () => {
    busy({ forgets: () => true })
    expect(await faultAtEnd(reader())).toBe('lagging')
  })

  test('starts at the newest again where the node no longer knows the position reached', async () => {
    const looker = reader()
    busy({ most: { getSignaturesForAddress: 2 } })
    expect(await looker.settlementOf(signed(1_800_000)).catch(() => null)).toBeNull()
    let gone: string | undefined
    const forgets = (signature: string) => {
      gone ??= signature
      return gone === signature
    }
    busy({ forgets })
    expect(await faultAtEnd(looker)).toBe('lagging')
    busy({ list: made.filter(({ signature }) => signature !== gone), forgets })
    expect(await searchesUntilEnd(signed(1_800_000), looker)).toContain('unpaid')
  })

  test('starts at the newest each time while a block can still take the payment', async () => {
    const [list, looker] = [made.slice(0, 200), reader()]
    const payment = { ...signed(0), ...(await messageIn(txHash)) }
    busy({ list, shows: minted, isValid: true, most: { getTransaction: 100 } })
    expect(await looker.settlementOf(payment).catch(() => null)).toBeNull()
    const taken = { signature: txHash, slot: 26_000, blockTime: nowMs / 1000 }
    busy({ list: [taken, ...list], shows: minted, isValid: true, most: { getTransaction: 100 } })
    expect(await searchesUntilEnd(payment, looker)).toContainEqual({ txHash })
  })

  test('comes to an end although the node does not know the time of some transactions', async () => {
    const read = busy({ timeless: [700, 1_501] })
    expect(await searchesUntilEnd(signed(1_800_000), reader())).toContain('unpaid')
    expect(Math.min(...read)).toBe(2_500 - 2_400)
  })
})
