import { describe, expect, test } from 'bun:test'
import { Connection, type Keypair } from '@solana/web3.js'
import {
  lifetimeMs,
  type PaymentMessage,
  readPaymentMessage,
} from '../../../src/chain/solana/message.ts'
import { solanaPurchaseReader } from '../../../src/chain/solana/purchases.ts'
import { solanaChain, solanaRpc } from '../../../src/chain/solana/solana.ts'
import { errorOf, findingNothing, ofVersion, perCall } from '../../support/rpc-faults.ts'
import { startSolanaNode } from '../../support/solana-node.ts'
import { signedTransfer, transferUsdc } from '../../support/solana-transfer.ts'
import { useWorld } from '../../support/world.ts'
import { faultOf } from '../subject.ts'

const { solana: node, relay } = useWorld({
  chains: ['solana'],
  relayed: true,
  service: 'no database',
})

function readerOver(...rpcUrls: string[]) {
  const usdc = node.mint.toBase58()
  return solanaPurchaseReader(solanaChain({ rpcUrls, usdc }), solanaRpc({ rpcUrls }), { usdc })
}

async function aPayment(memo: string) {
  const [payer, to] = [node.wallet(0), node.wallet(1).publicKey.toBase58()]
  node.mintTo(payer.publicKey, 1_000n)
  const order = { mint: node.mint, to, usdcBase: 1_000n, memo }
  const txHash = await transferUsdc(new Connection(node.url), payer, order)
  node.advance(5)
  return { txHash, to, paid: [{ txHash, usdcBase: 1_000n, from: payer.publicKey.toBase58() }] }
}

test('that there is no transaction is not believed of a node that has not come as far as another one', async () => {
  const { txHash, to, paid } = await aPayment('a purchase')
  const seen = (await readerOver(node.url).head()).number
  expect(await readerOver(relay.url).transaction(txHash, to, seen)).toMatchObject({
    transfers: paid,
  })

  relay.misbehave(
    perCall((call, ask) => {
      if (call.method === 'getTransaction') return { id: call.id, result: null }
      const message = `Block not available for slot ${seen}`
      return call.method === 'getBlock' ? errorOf(call.id, -32004, message) : ask(call)
    }),
  )
  expect(await faultOf(readerOver(relay.url).transaction(txHash, to, seen))).toBe('lagging')
  const both = readerOver(relay.url, node.url)
  expect(await both.transaction(txHash, to, seen)).toMatchObject({ transfers: paid })
})

test('a transaction from whose absence nothing follows is looked for at each node, and no block is read', async () => {
  const { txHash, to, paid } = await aPayment('another purchase')
  relay.misbehave(findingNothing(['getTransaction']))
  const before = relay.requests.length
  expect(await readerOver(relay.url).transaction(txHash, to, null)).toBe(null)
  const asked = relay.requests.slice(before).flat()
  expect(asked).toContain('getTransaction')
  expect(asked).not.toContain('getBlock')
  const both = readerOver(relay.url, node.url)
  expect(await both.transaction(txHash, to, null)).toMatchObject({ transfers: paid })
})

test('that a transaction pays nothing is not believed of one node where another shows what it pays', async () => {
  const { txHash, to, paid } = await aPayment('half a transaction')
  relay.misbehave(
    perCall(async (call, ask) => {
      const answer = await ask(call)
      if (call.method !== 'getTransaction') return answer
      const { transaction, ...rest } = answer.result as { transaction: { message: object } }
      const message = { ...transaction.message, instructions: [] }
      return { ...answer, result: { ...rest, transaction: { ...transaction, message } } }
    }),
  )
  expect(await readerOver(relay.url).transaction(txHash, to, null)).toMatchObject({ transfers: [] })
  const both = readerOver(relay.url, node.url)
  expect(await both.transaction(txHash, to, null)).toMatchObject({ transfers: paid })
  relay.behave()
})

test('a payment by a transaction of version 1 is read', async () => {
  const { txHash, to, paid } = await aPayment('version 1')
  relay.misbehave(ofVersion(1))
  expect(await readerOver(relay.url).transaction(txHash, to, 0)).toMatchObject({ transfers: paid })
})

test('that a transaction is gone is not believed of a node that does not know it, and lists it in its block or does not have that block', async () => {
  const { txHash, to } = await aPayment('settled')
  const settledIn = Number((await readerOver(node.url).transaction(txHash, to, 0))?.blockNumber)
  relay.misbehave(findingNothing(['getTransaction']))
  expect(await faultOf(readerOver(relay.url).transaction(txHash, to, settledIn))).toBe('lagging')
  expect(await readerOver(relay.url).transaction(txHash, to, settledIn + 1)).toBe(null)
  relay.misbehave(findingNothing(['getTransaction', 'getBlock']))
  expect(await faultOf(readerOver(relay.url).transaction(txHash, to, settledIn))).toBe('lagging')
  relay.misbehave(
    perCall((call, ask) => {
      if (call.method === 'getTransaction') return { id: call.id, result: null }
      const lost = `Slot ${settledIn} was skipped, or missing due to ledger jump to recent snapshot`
      return call.method === 'getBlock' ? errorOf(call.id, -32007, lost) : ask(call)
    }),
  )
  expect(await faultOf(readerOver(relay.url).transaction(txHash, to, settledIn))).toBe('lagging')
})

test('that a transaction is gone is not believed of a URL that leads to another cluster since', async () => {
  relay.behave()
  const { txHash, to, paid } = await aPayment('settled on this cluster')
  const [alone, both] = [readerOver(relay.url), readerOver(relay.url, node.url)]
  for (const one of [alone, both])
    expect(await one.transaction(txHash, to, 0)).toMatchObject({ transfers: paid })
  relay.misbehave(
    perCall(({ id, method }) => {
      if (method === 'getGenesisHash') return { id, result: 'devnet' }
      return { id, result: method === 'getBlock' ? { signatures: [] } : null }
    }),
  )
  expect(await faultOf(alone.transaction(txHash, to, 0))).toBe('wrong_chain')
  expect(await both.transaction(txHash, to, 0)).toMatchObject({ transfers: paid })
  relay.behave()
})

describe('that a message never moved its tokens', () => {
  /** Two nodes of one chain, and a message that was forwarded there and whose time is over. */
  async function chainOfTwo(isSent: boolean) {
    const nodes = [startSolanaNode(), startSolanaNode()] as const
    const [payer, payee] = [0, 1].map((index) => nodes[0].wallet(index)) as [Keypair, Keypair]
    for (const one of nodes) {
      one.wallet(0)
      for (const { publicKey } of [payer, payee]) one.mintTo(publicKey, 1_000n)
      one.advance(200)
    }
    const connections = nodes.map(({ url }) => new Connection(url, 'confirmed')) as [Connection]
    const { mint } = nodes[0]
    const order = { mint, to: payee.publicKey.toBase58(), usdcBase: 1_000n, memo: 'forwarded' }
    const signed = await signedTransfer(connections[0], payer, order)
    const sentIn = (await connections[0].getSlot()) + 1
    for (const one of isSent ? connections : []) await one.sendRawTransaction(signed)
    for (const one of nodes) one.advance(200)
    const message = readPaymentMessage(signed.toString('base64')) as PaymentMessage
    const forwardedAt = new Date(Date.now() - lifetimeMs - 2_000)
    const lookFor = (...urls: string[]) =>
      readerOver(...urls).transactionOf({
        ...message,
        ...{ txHash: null, firstForwardedAt: forwardedAt, forwardedAt },
      })
    const stop = () => Promise.all(nodes.map((one) => one.stop()))
    return { lossy: nodes[0], whole: nodes[1], sentIn, lookFor, stop }
  }

  test('is believed of a node that has all blocks in which it could have', async () => {
    const { whole, lookFor, stop } = await chainOfTwo(false)
    whole.skip(3)
    whole.advance(5)
    expect(await lookFor(whole.url)).toBe(null)
    await stop()
  })

  test('is believed also over more slots than a node lists at once', async () => {
    const { whole, lookFor, stop } = await chainOfTwo(false)
    whole.skip(1_200_000)
    whole.advance(5)
    expect(await lookFor(whole.url)).toBe(null)
    await stop()
  })

  test('is not believed of one that has lost the newest of before, or the very block: another one is asked', async () => {
    const lost: readonly ((sentIn: number) => readonly [number, number])[] = [
      (sentIn) => [0, sentIn],
      (sentIn) => [sentIn, sentIn],
      (sentIn) => [sentIn - 1, sentIn + 100],
    ]
    for (const slots of lost) {
      const { lossy, whole, sentIn, lookFor, stop } = await chainOfTwo(true)
      lossy.lose(...slots(sentIn))
      expect(await faultOf(lookFor(lossy.url))).toBe('lagging')
      expect(await lookFor(lossy.url, whole.url)).toBeString()
      await stop()
    }
  })

  test('is not believed of one that has no block of before it was forwarded, though nothing was in those it lacks', async () => {
    const { lossy, whole, lookFor, stop } = await chainOfTwo(false)
    lossy.lose(0, 10)
    expect(await faultOf(lookFor(lossy.url))).toBe('lagging')
    expect(await lookFor(lossy.url, whole.url)).toBe(null)
    await stop()
  })
})
