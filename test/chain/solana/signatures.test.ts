import { afterEach, describe, expect, test } from 'bun:test'
import { Keypair } from '@solana/web3.js'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { solanaChain } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { type Ledger, ledgerOf, startSolanaStub } from './stub.ts'

const usdc = registry.solana.usdcAddress
const wallet = Keypair.generate().publicKey.toBase58()
const account = associatedTokenAccount(wallet, usdc)
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

test('ranges far behind the head are answered from pages that were read once', async () => {
  const { chain, relay } = await watching({ head: 10_000, payments: spread(2_500, 1_000, 2_000) })
  const found = await Promise.all(
    [1_000, 1_250, 1_500, 1_750].map((from) => chain.transfers({ from, to: from + 249 }, [wallet])),
  )
  expect(found.map(({ transfers }) => transfers.length)).toEqual([625, 625, 625, 625])
  expect(pagesRead(relay)).toBe(4)
  await chain.transfers({ from: 2_000, to: 3_499 }, [wallet])
  expect(pagesRead(relay)).toBe(4)
  // For what blocks the node has, it was asked as far as ten ranges.
  await chain.transfers({ from: 3_500, to: 9_800 }, [wallet])
  expect(pagesRead(relay)).toBe(5)
})

test('where pages are too many to keep, none is read again that is newer than the range', async () => {
  const { chain, relay } = await watching({ head: 90_000, payments: spread(60_500, 1_000, 61_500) })
  const first = await chain.transfers({ from: 1_000, to: 1_009 }, [wallet])
  expect([first.transfers.length, pagesRead(relay)]).toEqual([10, 62])
  const second = await chain.transfers({ from: 1_010, to: 1_019 }, [wallet])
  expect([second.transfers.length, pagesRead(relay)]).toEqual([10, 62])
  const evicted = await chain.transfers({ from: 55_000, to: 55_009 }, [wallet])
  expect(evicted.transfers).toHaveLength(10)
  expect(pagesRead(relay) - 62).toBeLessThanOrEqual(2)
})

test('what is near the head is listed anew, as nodes may list it late', async () => {
  const { chain, relay } = await watching({ head: 2_000, payments: spread(1, 1_890, 1_891) })
  relay.edit((answer, method) =>
    method === 'getSignaturesForAddress' ? { ...answer, result: [] } : answer,
  )
  // Twenty seconds before it.
  const range = { from: 1_800, to: 2_000 - 20 / 0.2 }
  expect((await chain.transfers(range, [wallet])).transfers).toEqual([])
  relay.behave()
  expect((await chain.transfers(range, [wallet])).transfers).toHaveLength(1)
})

test('a page that does not come fails its question, and the next one reads it', async () => {
  const { chain, relay } = await watching({ head: 10_000, payments: spread(10, 1_000, 1_010) })
  relay.edit((answer, method) =>
    method === 'getSignaturesForAddress' ? { ...answer, result: null } : answer,
  )
  const range = { from: 1_000, to: 1_100 }
  await expect(chain.transfers(range, [wallet])).rejects.toMatchObject({ fault: 'invalid_answer' })
  relay.behave()
  expect((await chain.transfers(range, [wallet])).transfers).toHaveLength(10)
})

test('a page is not believed to be the last where the node does not know what it goes on after', async () => {
  const payments = spread(1_500, 1_000, 2_500)
  const { chain, relay } = await watching({ head: 10_000, payments })
  // Another node at the same URL has all blocks of the range, and lacks those at the page's end.
  const other = startSolanaStub({ ...ledgerOf(payments, 10_000), lost: [1_450, 1_550] })
  stops.push(other.stop)
  const range = { from: 1_000, to: 1_400 }
  relay.misbehave(async (request, forward) => {
    const isFirst = pagesRead(relay) < 2
    return Response.json(await forward(request, isFirst ? undefined : other.url))
  })
  await expect(chain.transfers(range, [wallet])).rejects.toMatchObject({ fault: 'lagging' })
  relay.behave()
  expect((await chain.transfers(range, [wallet])).transfers).toHaveLength(401)
})

test('nothing is missed where two nodes at one URL order what is in a slot differently, and a page ends in it', async () => {
  const payments = [...spread(999, 2_000, 3_000), ...spread(2, 1_500, 1_501, 'beside')]
  const { chain, relay } = await watching({ head: 10_000, payments })
  const other = startSolanaStub(ledgerOf(payments.toReversed(), 10_000))
  stops.push(other.stop)
  relay.misbehave(async (request, forward) => {
    const isFirst = pagesRead(relay) < 2
    return Response.json(await forward(request, isFirst ? undefined : other.url))
  })
  const { transfers } = await chain.transfers({ from: 1_000, to: 1_600 }, [wallet])
  expect(transfers.map(({ txHash }) => txHash)).toEqual(['beside-0', 'beside-1'])
})

test('a page listed by a node that lacks blocks is not used for these, though it was for others', async () => {
  const payments = spread(500, 1_000, 1_500)
  const { chain, relay, stub } = await watching({ head: 10_000, payments })
  const other = startSolanaStub({ ...ledgerOf(payments, 10_000), lost: [1_250, 1_350] })
  stops.push(other.stop)
  // The node that answers for the first range has all of its blocks.
  relay.connect(other.url)
  expect((await chain.transfers({ from: 1_000, to: 1_199 }, [wallet])).transfers).toHaveLength(200)
  relay.connect(stub.url)
  expect((await chain.transfers({ from: 1_200, to: 1_399 }, [wallet])).transfers).toHaveLength(200)
})

test.each([
  ['once, as where its long-term storage fails', 1],
  ['always', Number.POSITIVE_INFINITY],
])(
  'a page shorter than asked is not believed to be the last: the node lists less %s',
  async (_, times) => {
    const { chain, relay } = await watching({ head: 10_000, payments: spread(50, 1_000, 1_050) })
    relay.edit((answer, method) => {
      const isShort = method === 'getSignaturesForAddress' && pagesRead(relay) <= times
      return isShort ? { ...answer, result: (answer.result as []).slice(0, 20) } : answer
    })
    const { transfers } = await chain.transfers({ from: 1_000, to: 1_100 }, [wallet])
    expect(transfers).toHaveLength(50)
  },
)

describe('reading comes to an end where each page is from another node, which orders what is in a slot differently', () => {
  async function ordering(payments: Ledger['payments']) {
    const { chain, relay } = await watching({ head: 10_000, payments })
    const other = startSolanaStub(ledgerOf(payments.toReversed(), 10_000))
    stops.push(other.stop)
    relay.misbehave(async (request, forward) => {
      const isOther = pagesRead(relay) % 2 === 0
      return Response.json(await forward(request, isOther ? other.url : undefined))
    })
    return chain.transfers({ from: 1_000, to: 1_600 }, [wallet])
  }

  test('with all of a short list', async () => {
    const payments = [1_000, 1_001, 1_002].flatMap((slot) => spread(2, slot, slot, `in ${slot}`))
    expect((await ordering(payments)).transfers).toHaveLength(6)
  })

  test('without an answer where a slot fills a page', async () => {
    const payments = [...spread(1_100, 1_001, 1_001), ...spread(5, 1_000, 1_000, 'before')]
    await expect(ordering(payments)).rejects.toMatchObject({ fault: 'lagging' })
  })
})

/** An adapter that has already asked for the head, and the relay in front of its node. */
async function watching(made: Made) {
  const stub = startSolanaStub(ledgerOf(made.payments, made.head))
  const relay = startRpcRelay(stub.url)
  stops.push(relay.stop, stub.stop)
  const chain = solanaChain({ rpcUrls: [relay.url], usdc })
  await chain.head()
  return { chain, relay, stub }
}

type Made = { readonly head: number; readonly payments: Ledger['payments'] }

function pagesRead({ requests }: RpcRelay): number {
  return requests.flat().filter((method) => method === 'getSignaturesForAddress').length
}

/** `count` payments spread evenly over the slots from `from` (inclusive) to `to` (exclusive). */
function spread(count: number, from: number, to: number, name = 'signature'): Ledger['payments'] {
  return Array.from({ length: count }, (_, at) => ({
    signature: `${name}-${at}`,
    slot: from + Math.floor((at * (to - from)) / count),
    account,
    usdcBase: BigInt(at + 1),
    err: null,
    isLost: false,
  }))
}
