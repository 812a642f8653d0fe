import { afterEach, expect, test } from 'bun:test'
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

test('pages newer than a range far behind the head are read once', async () => {
  const { chain, relay } = await watching({ head: 10_000, payments: spread(2_500, 1_000, 2_000) })
  const found = await Promise.all(
    [1_000, 1_250, 1_500, 1_750].map((from) => chain.transfers({ from, to: from + 249 }, [wallet])),
  )
  expect(found.map(({ transfers }) => transfers.length)).toEqual([625, 625, 625, 625])
  expect(pagesRead(relay)).toBe(8)
})

test('a range is found after many pages, and the next one starts where these ended', async () => {
  const { chain, relay } = await watching({ head: 90_000, payments: spread(60_500, 1_000, 61_500) })
  const paidFrom = async (from: number) =>
    (await chain.transfers({ from, to: from + 9 }, [wallet])).transfers.length
  expect([await paidFrom(1_000), pagesRead(relay)]).toEqual([10, 62])
  expect([await paidFrom(1_010), pagesRead(relay)]).toEqual([10, 63])
  expect(await paidFrom(55_000)).toBe(10)
  expect(pagesRead(relay)).toBeLessThanOrEqual(65)
})

test('a page that cannot be read fails its range, and the next attempt reads it', async () => {
  const { chain, relay } = await watching({ head: 10_000, payments: spread(10, 1_000, 1_010) })
  relay.edit((answer, method) =>
    method === 'getSignaturesForAddress' ? { ...answer, result: null } : answer,
  )
  const range = { from: 1_000, to: 1_100 }
  await expect(chain.transfers(range, [wallet])).rejects.toMatchObject({ fault: 'invalid_answer' })
  relay.behave()
  expect((await chain.transfers(range, [wallet])).transfers).toHaveLength(10)
})

test('an empty page from a node that does not know what it follows is not taken for the last', async () => {
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

test('nothing is missed where a page ends within a slot that two nodes at one URL order differently', async () => {
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

test.each([
  ['once, as where its long-term storage fails', 1],
  ['always', Number.POSITIVE_INFINITY],
])(
  'a page shorter than asked is not taken for the last: the node lists less %s',
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

test('reading ends although each page is from another node, which orders a slot differently', async () => {
  const payments = [1_000, 1_001, 1_002].flatMap((slot) => spread(2, slot, slot, `in ${slot}`))
  const { chain, relay } = await watching({ head: 10_000, payments })
  const other = startSolanaStub(ledgerOf(payments.toReversed(), 10_000))
  stops.push(other.stop)
  relay.misbehave(async (request, forward) => {
    const isOther = pagesRead(relay) % 2 === 0
    return Response.json(await forward(request, isOther ? other.url : undefined))
  })
  const { transfers } = await chain.transfers({ from: 1_000, to: 1_600 }, [wallet])
  expect(transfers).toHaveLength(6)
})

/** An adapter that has already asked for the head, and the relay in front of its node. */
async function watching(made: Made) {
  const stub = startSolanaStub(ledgerOf(made.payments, made.head))
  const relay = startRpcRelay(stub.url)
  stops.push(relay.stop, stub.stop)
  const chain = solanaChain({ rpcUrls: [relay.url], usdc })
  await chain.head()
  return { chain, relay }
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
