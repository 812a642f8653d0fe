import { afterEach, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { getAssociatedTokenAddressSync } from '@solana/spl-token'
import { Keypair, PublicKey } from '@solana/web3.js'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { solanaChain, type UnreadWatch } from '../../../src/chain/solana/solana.ts'
import type { SurplusWatch } from '../../../src/chain/solana/surplus.ts'
import { registry } from '../../../src/domain/registry.ts'
import { startRpcRelay } from '../../support/rpc-relay.ts'
import { faultOf } from '../subject.ts'
import { type Ledger, ledgerOf, startSolanaStub } from './stub.ts'

const usdc = registry.solana.usdcAddress
const [first = '', second = ''] = Array.from({ length: 2 }, () =>
  Keypair.generate().publicKey.toBase58(),
)
const ours = [first, second]
const range = { from: 100, to: 200 }
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

test('an associated account is the one the token library derives', () => {
  const expected = getAssociatedTokenAddressSync(new PublicKey(usdc), new PublicKey(first))
  expect(associatedTokenAccount(first, usdc)).toBe(expected.toBase58())
})

describe('what is found', () => {
  test('the payments of a transaction that the first node shows only in part', async () => {
    const stub = startSolanaStub(ledgerOf([payment(150, first, 1n)]))
    const relay = startRpcRelay(stub.url)
    stops.push(stub.stop, relay.stop)
    relay.edit((answer, method) => {
      if (method !== 'getTransaction') return answer
      const { meta, ...rest } = answer.result as { meta: object }
      return { ...answer, result: { ...rest, meta: { ...meta, innerInstructions: null } } }
    })
    const chain = solanaChain({ rpcUrls: [relay.url, stub.url], usdc })
    expect((await chain.transfers(range, ours)).transfers).toHaveLength(1)
  })
})

test('a surplus that no transfer explains is reported once, and payments are read', async () => {
  const odd = { ...payment(150, second, 1n), surplusUsdcBase: 5n }
  const reported: Parameters<SurplusWatch>[0][] = []
  const stub = startSolanaStub(ledgerOf([odd, payment(160, first, 2n)]))
  stops.push(stub.stop)
  const onSurplus: SurplusWatch = (surplus) => reported.push(surplus)
  const chain = solanaChain({ rpcUrls: [stub.url], usdc, onSurplus })
  for (let reading = 0; reading < 2; reading++) {
    expect((await chain.transfers(range, ours)).transfers).toHaveLength(2)
  }
  expect(reported).toEqual([{ txHash: odd.signature, to: second, usdcBase: 5n }])
})

describe('a transaction of a version', () => {
  test('1, as wallets make them, is read like any other', async () => {
    const payments = [payment(150, first, 1n), { ...payment(160, first, 2n), version: 1 }]
    const { transfers } = await watching(ledgerOf(payments)).transfers(range, ours)
    expect(transfers.map(({ usdcBase }) => usdcBase)).toEqual([1n, 2n])
  })

  test('that no node shows is reported once, and payments are read', async () => {
    const odd = { ...payment(150, second, 9n), version: 2 }
    const reported: Parameters<UnreadWatch>[0][] = []
    const stub = startSolanaStub(ledgerOf([payment(140, first, 1n), odd, payment(160, first, 2n)]))
    stops.push(stub.stop)
    const onUnread: UnreadWatch = (unread) => reported.push(unread)
    const chain = solanaChain({ rpcUrls: [stub.url], usdc, onUnread })
    for (let reading = 0; reading < 2; reading++) {
      const { last, transfers } = await chain.transfers(range, ours)
      expect(last.number).toBe(range.to)
      expect(transfers.map(({ usdcBase }) => usdcBase)).toEqual([1n, 2n])
    }
    expect(reported).toEqual([{ txHash: odd.signature, slot: 150 }])
  })

  test('that no node shows refuses the range where nobody listens for it', async () => {
    const odd = { ...payment(150, second, 9n), version: 2 }
    const chain = watching(ledgerOf([odd, payment(160, first, 2n)]))
    expect(await faultOf(chain.transfers(range, ours))).toBe('invalid_answer')
  })

  test('that only one of two nodes shows is read', async () => {
    const odd = { ...payment(150, second, 9n), version: 2 }
    const older = startSolanaStub(ledgerOf([payment(140, first, 1n), odd]))
    const newer = startSolanaStub(ledgerOf([payment(140, first, 1n), { ...odd, version: 1 }]))
    stops.push(older.stop, newer.stop)
    const onUnread: UnreadWatch = () => expect.unreachable()
    const chain = solanaChain({ rpcUrls: [older.url, newer.url], usdc, onUnread })
    expect((await chain.transfers(range, ours)).transfers).toHaveLength(2)
  })
})

describe('slots', () => {
  test('for a skipped slot stands the nearest block before it', async () => {
    const chain = watching({ ...ledgerOf([payment(150, first, 1n)]), skipped: [198, 199, 200] })
    const block = { number: 197, hash: 'block 197', timestampMs: 1_700_000_197_000 }
    expect(await chain.block(199)).toEqual(block)
    const { last, transfers } = await chain.transfers(range, ours)
    expect(last).toEqual(block)
    expect(transfers).toHaveLength(1)
  })

  test('any number of skipped slots behind a range leaves it readable', async () => {
    const skipped = Array.from({ length: 2_000 }, (_, at) => 151 + at)
    const all = { ...ledgerOf([payment(150, first, 1n)]), finalized: 2_300, listedTo: 2_300 }
    const chain = watching({ ...all, skipped })
    const block = { number: 150, hash: 'block 150', timestampMs: 1_700_000_150_000 }
    expect(await chain.block(160)).toEqual(block)
    const { last, transfers } = await chain.transfers(range, ours)
    expect(last).toEqual(block)
    expect(transfers).toHaveLength(1)
    expect(await chain.transfers({ from: 201, to: 900 }, ours)).toEqual({
      last: block,
      transfers: [],
    })
  })
})

describe('a node that was restarted from a snapshot', () => {
  test.each([
    ['within the range', [140, 160]],
    ['at its end', [190, 250]],
    ['at its beginning', [50, 160]],
    ['all of it', [90, 250]],
    ['more than is looked through behind it', [150, 1_250]],
    ['one slot', [150, 150]],
  ] as const)('lacks blocks of the range and is lagging: %s', async (_, lost) => {
    const skipped = [120, 149, 151, 152, 199, 200]
    const payments = [payment(150, first, 1n)]
    const all = { ...ledgerOf(payments), finalized: 1_300, listedTo: 1_300, skipped }
    const lossy = startSolanaStub({ ...all, lost })
    const whole = startSolanaStub(all)
    stops.push(lossy.stop, whole.stop)
    const alone = solanaChain({ rpcUrls: [lossy.url], usdc })
    expect(await faultOf(alone.transfers(range, ours))).toBe('lagging')
    const both = solanaChain({ rpcUrls: [lossy.url, whole.url], usdc })
    const { last, transfers } = await both.transfers(range, ours)
    expect(last).toMatchObject({ number: 198, hash: 'block 198' })
    expect(transfers).toHaveLength(1)
  })

  test('has no block where it lost it, rather than the one before', async () => {
    const chain = watching({ ...ledgerOf([]), lost: [140, 160] })
    expect(await chain.block(150)).toBe(null)
    expect(await chain.block(139)).toMatchObject({ number: 139 })
    expect(await chain.block(161)).toMatchObject({ number: 161 })
  })

  test('is lagging where it lists signatures and another node at its URL has the blocks', async () => {
    const all = ledgerOf([payment(150, first, 1n)])
    const lossy = startSolanaStub({ ...all, lost: [140, 160] })
    const whole = startSolanaStub(all)
    const relay = startRpcRelay(whole.url)
    stops.push(relay.stop, lossy.stop, whole.stop)
    const chain = solanaChain({ rpcUrls: [relay.url], usdc })
    relay.misbehave(async (request, forward) => {
      const isList = request.some(({ method }) => method === 'getSignaturesForAddress')
      return Response.json(await forward(request, isList ? lossy.url : whole.url))
    })
    expect(await faultOf(chain.transfers(range, ours))).toBe('lagging')
    relay.behave()
    expect((await chain.transfers(range, ours)).transfers).toHaveLength(1)
  })

  test('reads a range whose slots were all skipped', async () => {
    const skipped = Array.from({ length: 101 }, (_, at) => 100 + at)
    const chain = watching({ ...ledgerOf([]), skipped })
    expect((await chain.transfers(range, ours)).last).toMatchObject({ number: 99 })
  })
})

describe('what is refused', () => {
  test('a node behind the same address that has not reached the range is lagging', async () => {
    const chain = watching({ ...ledgerOf([]), listedTo: 150 })
    expect(await faultOf(chain.transfers(range, ours))).toBe('lagging')
  })

  test('an invalid address rejects with invalid_answer', async () => {
    const chain = watching(ledgerOf([]))
    expect(await faultOf(chain.transfers(range, ['no address']))).toBe('invalid_answer')
  })
})

function watching(state: Ledger) {
  const stub = startSolanaStub(state)
  stops.push(stub.stop)
  return solanaChain({ rpcUrls: [stub.url], usdc })
}

function payment(slot: number, wallet: string, usdcBase: bigint) {
  const signature = base58.encode(crypto.getRandomValues(new Uint8Array(64)))
  const account = associatedTokenAccount(wallet, usdc)
  return { signature, slot, account, usdcBase, err: null, isLost: false }
}
