import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import {
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { lifetimeMs } from '../../../src/chain/solana/message.ts'
import { solanaPaymentReader } from '../../../src/chain/solana/payments.ts'
import { solanaRpc } from '../../../src/chain/solana/solana.ts'
import { errorOf, ofVersion, perCall } from '../../support/rpc-faults.ts'
import { type RpcAnswer, type RpcCall, startRpcRelay } from '../../support/rpc-relay.ts'
import { startSolanaSale } from '../../support/solana-sale.ts'
import { faultOf } from '../subject.ts'

const { node, relay, txHash, minted, reader, messageIn, stop } = await startSolanaSale()
afterAll(stop)

test('a transfer by a transaction of version 1 is read', async () => {
  relay.misbehave(ofVersion(1))
  const [to, from] = [1, 0].map((index) => node.wallet(index).publicKey.toBase58())
  const paid = { payTo: `${to}`, asset: node.mint.toBase58() }
  expect(await reader().transfersTo(paid, txHash)).toMatchObject([{ from, usdcBase: 1_000n }])
})

test('a transaction of the payer that no node tells of keeps no payment open for ever', async () => {
  relay.misbehave(ofVersion(2))
  const signed = {
    payer: node.wallet(0).publicKey.toBase58(),
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(Date.now() - lifetimeMs - 5_000),
    validBefore: new Date(Date.now() - 5_000),
  }
  expect(await reader().settlementOf(signed)).toBe('unpaid')
})

test('a transaction of version 1 among those of the payer hides no payment, and keeps none open for ever', async () => {
  const { signature, wire } = await ofVersionOne()
  relay.misbehave(
    perCall(async (call, ask) => {
      if (call.method === 'getTransaction' && call.params[0] === signature)
        return { id: call.id, result: { transaction: [wire, 'base64'], meta: { err: null } } }
      const answer = await ask(call)
      if (call.method !== 'getSignaturesForAddress') return answer
      const list = answer.result as readonly object[]
      return { ...answer, result: [{ ...list[0], signature }, ...list] }
    }),
  )
  const { publicKey } = node.wallet(0)
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const sent = { txHash: null, claimedAt, validBefore: new Date(Date.now() - 5_000) }
  expect(await reader().settlementOf({ ...sent, ...(await messageIn(txHash)) })).toEqual({ txHash })
  const lost = { payer: publicKey.toBase58(), nonce: '11'.repeat(64) }
  expect(await reader().settlementOf({ ...sent, ...lost })).toBe('unpaid')
})

/** A transaction as its form in version 1 is known to Solana's own library. */
async function ofVersionOne() {
  const signer = await createKeyPairSignerFromBytes(node.wallet(0).secretKey)
  const blockhash = base58.encode(new Uint8Array(32).fill(1)) as Blockhash
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (one) => setTransactionMessageFeePayerSigner(signer, one),
    (one) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 1n }, one),
  )
  const signed = await signTransactionMessageWithSigners(message)
  return {
    signature: `${getSignatureFromTransaction(signed)}`,
    wire: getBase64EncodedWireTransaction(signed),
  }
}

test('a payment that was claimed just now is not given up, though the clock that told its end is slow', async () => {
  relay.behave()
  const { publicKey } = node.wallet(0)
  const slow = { payer: publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  const validBefore = new Date(Date.now() - 300_000)
  const claimed = (claimedAt: Date) => reader().settlementOf({ ...slow, claimedAt, validBefore })
  expect(await claimed(new Date())).toBe('unknown')
  expect(await claimed(new Date(validBefore.getTime() - lifetimeMs))).toBe('unpaid')
})

test('a payment is not given up where its blockhash is too new to be in a final block', async () => {
  relay.misbehave(
    perCall(async (call, ask) => {
      const [, options] = call.params as [string, { commitment: string }]
      if (call.method !== 'isBlockhashValid') return ask(call)
      const value = options.commitment !== 'finalized'
      return { id: call.id, result: { context: { slot: 5 }, value } }
    }),
  )
  // The clock by which it was claimed is minutes slow.
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const fresh = { payer: node.wallet(0).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  expect(await reader().settlementOf({ ...fresh, claimedAt, validBefore })).toBe('unknown')
})

test.each([
  ['isBlockhashValid', {}],
  ['getBlockTime', null],
])('a first node that answers nothing readable to %s is passed over', async (method, result) => {
  relay.misbehave(
    perCall((call, ask) => (call.method === method ? { id: call.id, result } : ask(call))),
  )
  const rpc = solanaRpc({ rpcUrls: [relay.url, node.url] })
  const looker = solanaPaymentReader(rpc)
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const lost = { payer: node.wallet(1).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  expect(await looker.settlementOf({ ...lost, claimedAt, validBefore })).toBe('unpaid')
  relay.behave()
})

test('a payment is not given up by the word of a URL that leads to another cluster since, at whichever question', async () => {
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const lost = { payer: node.wallet(1).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  for (const from of [
    'isBlockhashValid',
    'getBlockTime',
    'getFirstAvailableBlock',
    'getSignaturesForAddress',
  ]) {
    const looker = reader()
    relay.behave()
    expect(await looker.settlementOf({ ...lost, claimedAt, validBefore })).toBe('unpaid')
    let isSearched = from !== 'getSignaturesForAddress'
    let isMoved = false
    relay.misbehave(async (request, forward) => {
      const methods = request.map(({ method }) => method)
      // Only of a list at a node with all blocks does anything follow.
      isMoved ||= isSearched && methods.includes(from)
      isSearched ||= methods.includes('getFirstAvailableBlock')
      const answers = await forward(request)
      const there = answers.map((answer, at) =>
        methods[at] === 'getGenesisHash' ? { ...answer, result: 'devnet' } : answer,
      )
      return Response.json(isMoved ? there : answers)
    })
    expect(await faultOf(looker.settlementOf({ ...lost, claimedAt, validBefore }))).toBe(
      'wrong_chain',
    )
  }
})

for (const [what, isRead] of [
  ['another', (call: RpcCall, ask: Ask) => ask({ ...call, params: [minted, call.params[1]] })],
  ['one of a newer version', ({ id }: RpcCall) => errorOf(id, -32_015, 'not supported')],
] as const) {
  test(`a payment is found where a node showed ${what} for its transaction at first`, async () => {
    const message = await messageIn(txHash)
    const claimedAt = new Date()
    const validBefore = new Date(Date.now() + lifetimeMs)
    const sent = { ...message, txHash: null, claimedAt, validBefore }
    const looker = reader()
    relay.misbehave(
      perCall((call, ask) => {
        const isOfIt = call.method === 'getTransaction' && call.params[0] === txHash
        return isOfIt ? isRead(call, ask) : ask(call)
      }),
    )
    expect(['unknown', null]).toContain((await looker.settlementOf(sent).catch(() => null)) as null)
    relay.behave()
    expect(await looker.settlementOf(sent)).toEqual({ txHash })
  })
}

type Ask = (call: RpcCall) => Promise<RpcAnswer>

describe('where no node has all blocks, a payment that is listed nowhere else is found', () => {
  // No block can take it any more.
  beforeAll(() => node.advance(200))

  /** The node lists the payment only where `isListed`. */
  const lacking = (isListed: () => boolean) =>
    perCall(async (call, ask) => {
      if (call.method === 'getFirstAvailableBlock') return errorOf(call.id, -32_601, 'not found')
      const answer = await ask(call)
      if (call.method !== 'getSignaturesForAddress' || isListed()) return answer
      const list = answer.result as readonly { readonly signature: string }[]
      return { ...answer, result: list.filter(({ signature }) => signature !== txHash) }
    })

  async function sent() {
    const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
    const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
    return { ...(await messageIn(txHash)), txHash: null, claimedAt, validBefore }
  }

  test('at the node that left it out before', async () => {
    let isListed = false
    relay.misbehave(lacking(() => isListed))
    const [looker, payment] = [reader(), await sent()]
    expect(await faultOf(looker.settlementOf(payment))).toBe('invalid_answer')
    isListed = true
    expect(await looker.settlementOf(payment)).toEqual({ txHash })
  })

  test('at whichever URL it is', async () => {
    relay.misbehave(lacking(() => false))
    const other = startRpcRelay(node.url)
    other.misbehave(lacking(() => true))
    for (const urls of [
      [relay.url, other.url],
      [other.url, relay.url],
    ])
      expect(await reader(...urls).settlementOf(await sent())).toEqual({ txHash })
    await other.stop()
  })
})
