import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { verifyReceipt } from '../../../src/verify/verify-receipt.ts'
import { claimsIn } from '../../support/receipts.ts'
import { eventually } from '../../support/wait.ts'
import { aPayment, option, requiring, through, useShop } from '../../support/x402-proxy.ts'
import { paidResource } from '../../support/x402-upstream.ts'

/** What receipts of purchases state of the demand and of what was handed over. */

const shop = useShop({
  anchored: true,
  env: { BASE_CONFIRMATIONS: '2', BASE_POLL_MS: '50' },
})
const { app, node, upstream, aResource, sign, becomes, invoice } = shop
const half = Buffer.alloc(50_000, 7)

function sha256(bytes: Uint8Array | string): string {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`
}

const nothing = {
  ...{ bodySha256: null, contentLength: null, contentType: null },
  ...{ delivered: null, status: null },
}
const wholeResource = {
  ...{ bodySha256: sha256(paidResource), contentLength: paidResource.length },
  ...{ contentType: 'application/x-report', delivered: 'whole', status: 200 },
}
const partOf = (bytes: Uint8Array) => ({
  ...{ bodySha256: sha256(bytes), contentLength: bytes.length },
  ...{ contentType: 'application/x-report', delivered: 'partial', status: 200 },
})

/** The answer of which `sendHalf` has sent half. */
let answering: ServerResponse | undefined

function sendHalf(response: ServerResponse): void {
  answering = response
  response.writeHead(200, { 'content-length': 2 * half.length }).write(half)
}

/** Asks for the price of a resource. `pay` pays it, with one payment however often. */
async function ask(method = 'GET') {
  const url = aResource()
  // The text of `HEAD` is empty and cannot be read as JSON.
  async function send(more = {}) {
    const all = { authorization: `Bearer ${app.account.apiKey}`, ...more }
    const init = { method, headers: all, keepalive: false }
    const response = await fetch(app.url + through(url), init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const unpaid = await send()
  const headers = await sign(unpaid)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const pay = (more = {}) => send({ ...headers, ...more })
  /** Pays and hears half of the answer; `leave` hangs up. */
  async function payForHalf(more = {}) {
    const caller = new AbortController()
    const response = await fetch(app.url + through(url), {
      method,
      headers: { authorization: `Bearer ${app.account.apiKey}`, ...headers, ...more },
      signal: caller.signal,
      keepalive: false,
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (let length = 0; length < half.length; ) length += (await reader.read()).value?.length ?? 0
    return { reader, leave: () => caller.abort() }
  }
  return { id, demand: unpaid.headers.get('payment-required') ?? '', pay, payForHalf }
}

/** What the receipt of the purchase states, once there is one. */
async function receiptOf(id: string) {
  await node.mine(4)
  await eventually(async () => (await invoice(id)).receiptId)
  const { receiptId } = await invoice(id)
  const { json } = await app.keyless('GET', `/v1/public/receipts/${receiptId}/bundle`)
  const { demandSha256, bodySha256, contentLength, contentType, delivered, status, ...others } =
    claimsIn(json)
  const stated = { bodySha256, contentLength, contentType, delivered, status }
  return { demandSha256, stated, others, bundle: json }
}

/** What was handed over of the answer to the payment; undefined while nothing was. */
async function handedOver(id: string) {
  const [row] = await app.database.sql<{ delivery: string }[]>`
    select delivery from purchase_deliveries where invoice_id = ${id}`
  return row && JSON.parse(row.delivery)
}

/** Lets the chain confirm the payment, and the worker look at it several times. */
async function confirmed(id: string): Promise<void> {
  await node.mine(4)
  const looks = new Set<string>()
  await eventually(async () => {
    const [row] = await app.database.sql`
      select due_at::text as at from purchases where invoice_id = ${id} and state = 'paid'`
    return row ? looks.add(row.at).size > 3 : false
  })
}

describe('the receipt of a purchase', () => {
  test('states the demand and the whole answer, and both verifiers accept it', async () => {
    const { id, demand, pay } = await ask()
    const { text } = await pay()
    expect(text).toBe(new TextDecoder().decode(paidResource))
    const { demandSha256, stated, others } = await receiptOf(id)
    expect([demandSha256, stated]).toEqual([sha256(demand), wholeResource])
    expect(others).toMatchObject({ kind: 'purchase', invoiceId: id, fee: '0.00', settled: true })
    await becomes(id, 'completed')
    const { bundle } = await receiptOf(id)
    const { json } = await app.keyless('GET', '/.well-known/quittance')
    expect(await verifyReceipt(bundle, node.url, json.anchor)).toMatchObject({ ok: true })
    if (!Bun.which('python3')) return
    const { contract, senders } = json.anchor
    const script = 'docs/examples/verify_receipt.py'
    const issuer = ['--rpc', node.url, '--contract', contract, '--sender', ...senders]
    const child = Bun.spawn(['python3', '-B', script, '/dev/stdin', ...issuer], {
      stdin: new Blob([JSON.stringify(bundle)]),
    })
    expect(await child.exited).toBe(0)
  })

  test('states the part that was handed over when the upstream breaks off, until a retry gets all of it', async () => {
    const [broken, mended] = [await ask(), await ask()]
    upstream.handOver = sendHalf
    for (const { payForHalf } of [broken, mended]) {
      const { reader } = await payForHalf()
      answering?.destroy()
      expect(await reader.read().catch(() => 'broken off')).toBe('broken off')
    }
    upstream.handOver = null
    // It would refuse to settle the payment twice.
    upstream.behaviour = 'deliver and say nothing'
    expect((await mended.pay()).status).toBe(200)
    expect((await receiptOf(broken.id)).stated).toEqual(partOf(half))
    const again = { ...wholeResource, contentType: null }
    expect((await receiptOf(mended.id)).stated).toEqual(again)
  })

  test.each([
    ['as it is', {}],
    ['in two parts', { accept: 'multipart/mixed' }],
  ])('states what was handed over when the caller leaves half-way: %s', async (_, accept) => {
    const { id, payForHalf } = await ask()
    upstream.handOver = sendHalf
    const { leave } = await payForHalf(accept)
    await confirmed(id)
    expect(await handedOver(id)).toBeUndefined()
    leave()
    expect((await receiptOf(id)).stated).toEqual(partOf(half))
  })

  test('of an answer in two parts is of the upstream’s part alone', async () => {
    const { id, pay } = await ask()
    const { headers } = await pay({ accept: 'multipart/mixed' })
    expect(headers.get('content-type')).toContain('multipart/mixed')
    expect((await receiptOf(id)).stated).toEqual(wholeResource)
  })

  test.each([
    ['HEAD', 'HEAD', 200],
    ['a status without a body', 'GET', 204],
  ])('of %s: an empty body, whole', async (_, method, status) => {
    const { id, pay } = await ask(method)
    upstream.handOver = (response) => void response.writeHead(status).end()
    expect((await pay()).status).toBe(status)
    const empty = { ...wholeResource, bodySha256: sha256(''), contentLength: 0, status }
    expect((await receiptOf(id)).stated).toEqual(empty)
  })

  test('states the error with which the upstream answered when it had taken the payment', async () => {
    const [withheld, passedOn] = [await ask(), await ask()]
    upstream.behaviour = 'settle then fail'
    for (const { pay } of [withheld, passedOn]) expect((await pay()).status).toBe(502)
    upstream.behaviour = 'fail'
    const again = await passedOn.pay()
    expect([again.status, again.text]).toEqual([500, 'broken'])
    const failed = { contentType: null, status: 500 }
    expect((await receiptOf(withheld.id)).stated).toEqual({
      ...{ ...failed, bodySha256: sha256(''), contentLength: 0, delivered: 'partial' },
    })
    expect((await receiptOf(passedOn.id)).stated).toEqual({
      ...{ ...failed, bodySha256: sha256('broken'), contentLength: 6, delivered: 'whole' },
    })
  })

  test('states nothing handed over when the upstream never answered', async () => {
    const { id, demand, pay } = await ask()
    upstream.behaviour = 'settle then hang up'
    expect((await pay()).status).toBe(502)
    const { demandSha256, stated } = await receiptOf(id)
    expect([demandSha256, stated]).toEqual([sha256(demand), nothing])
  })

  test('waits for the end of the answer', async () => {
    const { id, payForHalf } = await ask()
    upstream.handOver = sendHalf
    const { reader } = await payForHalf()
    await confirmed(id)
    expect((await invoice(id)).receiptId ?? null).toBeNull()
    expect((await invoice(id)).status).toBe('paid')
    answering?.end(half)
    while (!(await reader.read()).done);
    const whole = Buffer.concat([half, half])
    expect((await receiptOf(id)).stated).toEqual({ ...partOf(whole), delivered: 'whole' })
  })

  test('does not wait for a process that has died', async () => {
    const { id, payForHalf } = await ask()
    upstream.handOver = sendHalf
    const { leave } = await payForHalf()
    await confirmed(id)
    await app.database.sql`
      update purchases set forwarded_at = forwarded_at - interval '661 seconds', due_at = now(), version = version + 1
      where invoice_id = ${id}`
    expect((await receiptOf(id)).stated).toEqual(nothing)
    leave()
  })
})

test('a paid body of 400 MB is never held in memory, and all of it is noted', async () => {
  // The service has a process of its own: in this one other tests leave memory behind.
  const service = await shop.start({ ROLE: 'http', LOG_LEVEL: 'info' })
  const source = child(sourceScript, requiring([option]))
  const port = new TextDecoder().decode((await source.stdout.getReader().read()).value).trim()
  const target = service.url + through(`http://127.0.0.1:${port}/`)
  const key = { 'x-api-key': app.account.v1Key }
  const unpaid = await fetch(target, { headers: key })
  const before = await residentBytes(service.url)
  let [most, isOver] = [0, false]
  const looking = (async () => {
    while (!isOver) most = Math.max(most, await residentBytes(service.url))
  })()
  const sink = child(sinkScript, target, JSON.stringify({ ...key, ...aPayment() }))
  const [length, sum] = (await new Response(sink.stdout).text()).split(' ')
  isOver = true
  await looking
  source.kill()
  expect(Number(length)).toBe(bodyLength)
  expect((most - before) / 1_048_576).toBeLessThan(150)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  await eventually(async () => (await handedOver(id)) !== undefined)
  expect(await handedOver(id)).toMatchObject({
    ...{ bodySha256: sum, contentLength: bodyLength, delivered: 'whole' },
  })
})

async function residentBytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1])
}

const bodyLength = 6_400 * 65_536
const sourceScript = `
  const piece = new Uint8Array(65536).fill(7)
  const body = (left) => new ReadableStream({ pull: (to) => (left-- > 0 ? to.enqueue(piece) : to.close()) })
  const required = { 'payment-required': process.argv[1] }
  const fetch = ({ headers }) => headers.has('payment-signature')
    ? new Response(body(6400)) : new Response('{}', { status: 402, headers: required })
  console.log(Bun.serve({ port: 0, fetch }).port)`
/** Reads the beginning, waits, then reads the rest. */
const sinkScript = `
  const { body } = await fetch(process.argv[1], { headers: JSON.parse(process.argv[2]) })
  const hash = new Bun.CryptoHasher('sha256')
  let length = 0
  for await (const chunk of body) {
    if (length === 0) await Bun.sleep(1000)
    length += chunk.length
    hash.update(chunk)
  }
  process.stdout.write(length + ' 0x' + hash.digest('hex'))`

function child(script: string, ...parameters: string[]) {
  return Bun.spawn([process.execPath, '-e', script, ...parameters], { stdout: 'pipe' })
}
