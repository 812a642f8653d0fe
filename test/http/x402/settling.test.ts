import { afterEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { authorizationFields } from '../../support/evm-node.ts'
import { type AskNode, errorOf, perCall, refusal, saying } from '../../support/rpc-faults.ts'
import type { Fault, RpcAnswer, RpcCall } from '../../support/rpc-relay.ts'
import { random32 } from '../../support/x402-payload.ts'
import { demandIn, order, path, priceUsdcBase, useSeller } from '../../support/x402-seller.ts'

/** Payments that the service settles itself, and what can go wrong there. */

const { app, node, relay, signed, bring, pay } = useSeller()

afterEach(async () => {
  relay.behave()
  await node.rpc('evm_setAutomine', [true])
})

describe('a node that fails while a payment is verified says nothing about the payment', () => {
  /** Applies the fault to requests with this method; others are answered. */
  function onlyTo(method: string, fault: Fault): Fault {
    const answered = perCall((call, ask) => ask(call))
    return (request, forward) =>
      (request.some((call) => call.method === method) ? fault : answered)(request, forward)
  }

  test.each([
    ['eth_getCode', 'HTTP 429', saying('', { status: 429 })],
    ['eth_getCode', 'a refusal of its own', refusal(-32601, 'method not found')],
    ['eth_call', 'HTTP 502', saying('bad gateway', { status: 502 })],
    ['eth_call', 'too many requests', refusal(-32005, 'too many requests')],
  ] as const)('%s answered by %s is 503, and it buys later', async (method, _, fault) => {
    const payment = await signed()
    relay.misbehave(onlyTo(method, fault))
    const { status, headers, json } = await payment.pay()
    const code = json.error.code
    expect([status, headers.get('retry-after'), code]).toEqual([503, '5', 'SERVICE_UNAVAILABLE'])
    relay.behave()
    // A node that limits our rate rests for a while, and the service answers 503 meanwhile.
    while ((await payment.status()) === 503) await Bun.sleep(250)
    expect(await payment.status()).toBe(200)
  })
})

describe('what was sent and seems to have failed', () => {
  /**
   * Answers `eth_sendRawTransaction` with `answer`. From then on, reads come from a node that does
   * not have any later block.
   */
  async function onSending(
    answer: (call: RpcCall, ask: AskNode) => Promise<RpcAnswer>,
  ): Promise<void> {
    const before = await node.rpc<Hex>('eth_blockNumber')
    let isSent = false
    relay.misbehave(
      perCall((call, ask) => {
        if (call.method === 'eth_sendRawTransaction') {
          isSent = true
          return answer(call, ask)
        }
        const isBehind = isSent && call.method === 'eth_call'
        return ask(isBehind ? { ...call, params: [call.params[0], before] } : call)
      }),
    )
  }

  test('as somebody else was faster is not asked for again by a node that has seen neither', async () => {
    const { payment, status } = await signed()
    await onSending(async (call, ask) => {
      await bring(payment)
      return ask(call)
    })
    expect([await status(), await status()]).toEqual([202, 202])
    relay.behave()
    expect(await status()).toBe(200)
  })

  test('as one node called its price too low is not asked for again where another took it', async () => {
    const { status } = await signed()
    await onSending(async (call, ask) => {
      await ask(call)
      return errorOf(call.id, -32000, 'replacement transaction underpriced')
    })
    expect(await status()).toBe(202)
    relay.behave()
    expect(await status()).toBe(200)
  })

  test('as others with the same key were faster is settled when it comes again', async () => {
    const { status } = await signed()
    await onSending(async ({ id }) => {
      const from = node.wallet(8).address
      await node.send({ from, to: from, data: '0x' })
      return errorOf(id, -32000, 'Pending transaction with same nonce already exists')
    })
    expect(await status()).toBe(202)
    relay.behave()
    expect(await Promise.all([status(), status()])).toContain(200)
    expect(await status()).toBe(200)
  })
})

describe('the service pays few fees for payments that fail on chain', () => {
  /** As geth has it: gas is estimated by the newest block, without what waits for the next. */
  function estimatedByNewestBlock(call: RpcCall, ask: AskNode): Promise<RpcAnswer> {
    const isEstimate = call.method === 'eth_estimateGas'
    return ask(isEstimate ? { ...call, params: [call.params[0], 'latest'] } : call)
  }

  /** How many transactions the facilitator has sent. */
  async function sent(): Promise<number> {
    const { address } = node.wallet(8)
    return Number(await node.rpc('eth_getTransactionCount', [address, 'latest']))
  }

  test('of all that a payer signs at once, no more is sent than there is money for', async () => {
    await node.mint(node.wallet(2).address, priceUsdcBase)
    const payments = await Promise.all(Array.from({ length: 8 }, () => signed(node.wallet(2))))
    const before = await sent()
    relay.misbehave(perCall(estimatedByNewestBlock))
    await node.rpc('evm_setAutomine', [false])
    let isOver = false
    const answered = Promise.all(payments.map(({ status }) => status())).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await Bun.sleep(300)
      await node.mine(1)
    }
    expect((await answered).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 402)])
    expect((await sent()) - before).toBe(1)
  })

  test('of a payer who moves the money away meanwhile nothing more is sent, and of others it is', async () => {
    const poor = node.wallet(3)
    await node.mint(poor.address, priceUsdcBase)
    const [taken, next, other] = [await signed(poor), await signed(poor), await signed()]
    const before = await sent()
    const away = { from: poor.address, to: node.wallet(4).address, usdcBase: priceUsdcBase }
    relay.misbehave(
      perCall(async (call, ask) => {
        if (call.method === 'eth_sendRawTransaction') await node.transfer(away)
        return ask(call)
      }),
    )
    expect(await taken.status()).toBe(202)
    relay.behave()
    await node.mint(poor.address, 10n * priceUsdcBase)
    expect([await next.status(), await other.status()]).toEqual([402, 200])
    expect((await sent()) - before).toBe(2)
    // What has been sent may still be brought on chain: it is not asked for again.
    expect(await taken.status()).toBe(202)
  })
})

describe('a payment that its payer has signed for an invoice', () => {
  type Message = Record<'from' | 'to', Hex> & Record<'value' | 'validAfter' | 'validBefore', bigint>

  /** Pays an order by a payment that is signed under this nonce. */
  async function payUnder(nonce: string) {
    const payer = node.wallet(1)
    const { accepts } = demandIn(await app.keyless('POST', path, order))
    const [{ asset, extra }] = accepts
    const { payment } = await signed(payer)
    const authorization = { ...(payment.payload.authorization as Message), nonce: nonce as Hex }
    const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
      domain: { name: extra.name, version: extra.version, chainId: 8453, verifyingContract: asset },
      types: { TransferWithAuthorization: authorizationFields },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    })
    return pay(btoa(JSON.stringify({ ...payment, payload: { signature, authorization } })))
  }

  test('buys nothing else for whoever posts it, and is not brought on chain for that', async () => {
    const customer = { customerName: 'Ada Example', customerEmail: 'ada@example.com' }
    const wanted = { amount: 0.01, currency: 'USD', ...customer }
    const { reference } = (await app.send('POST', '/v1/invoices', wanted)).json.data.paymentDetails
    const { status, json } = await payUnder(reference)
    const message = 'The payment is signed for an invoice, which it would pay'
    expect([status, json.error]).toEqual([402, message])
    const claims = await app.database
      .sql`select from x402_payments where key like ${`%${reference}`}`
    expect(claims).toHaveLength(0)
    // The same signed under a nonce that names no invoice is a payment.
    expect((await payUnder(random32())).status).toBe(200)
  })
})
