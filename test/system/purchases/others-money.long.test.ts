import { describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { testWallet } from '../../support/app.ts'
import { purchasesIn } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { signedPayment, transferShown } from '../../support/x402-buyer.ts'
import { random32, unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, demand, idIn, option, through, useServer } from '../../support/x402-proxy.ts'

/** An account that has an upstream of its own, which says whatever the account wants. */

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1, 2],
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' },
})
const { buy, allow, budgetOf } = buyerIn(app)
const { looked, purchase } = purchasesIn(app)
const extra = { name: 'USD Coin', version: '2' }
const usdcBase = 10_000n
const shop = () => node.wallet(5).address
let payTo = ''
let named = ''
const upstream = useServer(({ headers, url }) => {
  const accepts = [{ ...option, payTo: payTo || shop(), maxTimeoutSeconds: 600, extra }]
  if (!headers.has('payment-signature')) return demand(accepts)
  const said = btoa(JSON.stringify({ success: true, transaction: named }))
  const body = url.includes('long') ? 'r'.repeat(60_000_000) : 'x'
  return new Response(body, named === '' ? {} : { headers: { 'payment-response': said } })
})
let made = 0

/** The state of a purchase for which the upstream names this transaction. */
async function boughtBy(payload: object, txHash: Hex): Promise<string> {
  const theirs = { 'x-api-key': app.other.v1Key }
  const url = `${upstream.url.href}${made++}`
  named = txHash
  const accepted = { ...option, payTo }
  const header = btoa(JSON.stringify({ x402Version: 2, accepted, payload }))
  const id = idIn(await buy(url, theirs))
  await buy(url, { ...theirs, 'payment-signature': header })
  await node.mine(4)
  await looked(id, 3)
  named = ''
  return (await purchase(id)).state
}

describe('what somebody else has paid settles no purchase', () => {
  const from = () => node.wallet(2).address
  const plain = (to: string) => node.transfer({ from: from(), to, usdcBase })
  const old = async (transfer: Promise<Hex>) => {
    const txHash = await transfer
    await node.mine(3)
    // A block's time and PostgreSQL's clock differ by up to two seconds.
    await Bun.sleep(3_500)
    return txHash
  }

  test.each([
    ['to a shop', shop],
    ['to an address of ours', () => testWallet],
  ])('%s, by a payment that nobody can read', async (_, to) => {
    payTo = to()
    const txHash = await old(plain(payTo))
    expect(await boughtBy({ anything: random32() }, txHash)).not.toBe('settled')
  })

  test('by a nonce that was read from the chain', async () => {
    payTo = shop()
    const reference = random32() as Hex
    const sent = { from: node.wallet(2), to: payTo, usdcBase, reference }
    const txHash = await old(node.transferWithAuthorization(sent))
    const payload = unsignedPayload(payTo, '10000')
    payload.authorization.from = from().toLowerCase()
    payload.authorization.nonce = reference
    expect(await boughtBy(payload, txHash)).not.toBe('settled')
  })

  test('by a nonce that is read from the chain after the quote, though another has proven that transfer before', async () => {
    payTo = shop()
    const [url, reference] = [`${upstream.url.href}${made++}`, random32() as Hex]
    const mine = idIn(await buy(url))
    const sent = { from: node.wallet(1), to: payTo, usdcBase, reference }
    const txHash = await node.transferWithAuthorization(sent)
    await buy(url, await transferShown(node.wallet(1), txHash))
    await app.database.sql`update purchases set due_at = 'infinity' where invoice_id = ${mine}`
    const payload = unsignedPayload(payTo, '10000')
    payload.authorization.from = node.wallet(1).address.toLowerCase()
    payload.authorization.nonce = reference
    expect(await boughtBy(payload, txHash)).not.toBe('settled')
    await looked(mine, 3)
    expect((await purchase(mine)).state).toBe('settled')
  })

  test('by an authorization that an honest purchase waits for', async () => {
    payTo = shop()
    const url = `${upstream.url.href}${made++}`
    const { headers, nonce } = await signedPayment(node.wallet(1), await buy(url))
    const id = idIn(await buy(url, headers))
    await app.database.sql`update purchases set due_at = 'infinity' where invoice_id = ${id}`
    const sent = { from: node.wallet(1), to: payTo, usdcBase, reference: nonce }
    const txHash = await node.transferWithAuthorization(sent)
    expect(await boughtBy({ anything: random32() }, txHash)).not.toBe('settled')
    await looked(id, 3)
    expect((await purchase(id)).state).toBe('settled')
  })
})

test('a transfer that pays another purchase of the account meanwhile counts for the agent that bought with it', async () => {
  payTo = shop()
  const agentId = await allow(1)
  const mine = { 'x-agent-id': agentId }
  const [real, dummy] = [`${upstream.url.href}long`, `${upstream.url.href}${made++}`]
  const asked = await buy(real, mine)
  await buy(dummy)
  const { headers, nonce } = await signedPayment(node.wallet(1), asked)
  // It is not settled before its answer is handed over, and the agent reads that slowly.
  const answer = await fetch(app.url + through(real), {
    headers: { 'x-api-key': app.account.v1Key, ...mine, ...headers },
  })
  const sent = { from: node.wallet(1), to: payTo, usdcBase, reference: nonce }
  const shown = await transferShown(node.wallet(1), await node.transferWithAuthorization(sent))
  const other = idIn(await buy(dummy, shown))
  await eventually(async () => {
    await node.mine(1)
    return (await purchase(other)).state === 'settled'
  })
  await answer.body?.cancel()
  await looked(idIn(asked), 3)
  const { spent, reserved } = await budgetOf(agentId)
  expect(spent + reserved).toBe(1)
})

test('one transfer that two purchases show at once holds up nobody else', async () => {
  payTo = shop()
  const urls = [made++, made++, made++].map((n) => `${upstream.url.href}${n}`)
  const [first = '', second = '', honest = ''] = urls
  const payments = []
  for (const url of [first, honest]) {
    const { headers, nonce } = await signedPayment(node.wallet(1), await buy(url))
    payments.push({ id: idIn(await buy(url, headers)), nonce })
  }
  await buy(second)
  await app.database.sql`update purchases set due_at = 'infinity' where state in ('held', 'paid')`
  const hashes: Hex[] = []
  for (const { nonce } of payments) {
    const sent = { from: node.wallet(1), to: payTo, usdcBase, reference: nonce }
    hashes.push(await node.transferWithAuthorization(sent))
  }
  const twice = idIn(await buy(second, await transferShown(node.wallet(1), hashes[0] as Hex)))
  await node.mine(4)
  const ids = [...payments.map(({ id }) => id), twice]
  for (let round = 0; round < 4; round++) {
    await app.database
      .sql`update purchases set due_at = now() where invoice_id = any(${ids}) and state in ('held', 'paid')`
    await Bun.sleep(500)
  }
  expect((await purchase(payments[1]?.id ?? '')).state).toBe('settled')
})
