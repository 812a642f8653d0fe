import { beforeAll, describe, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import type { Bundle } from '../../src/domain/receipts/bundle.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import { type Verdict, verifyReceipt } from '../../src/verify/verify-receipt.ts'
import { createdInvoice, testSecretsKey } from '../support/app.ts'
import { type Envelope, verify } from '../support/receiver.ts'
import type { Service } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const secret = 'a-secret-of-the-receiver'

const { database, node, receiver, send, start } = useWorld({
  chains: ['base'],
  funded: [1],
  receiver: true,
  anchored: true,
  service: 'apart',
  env: {
    BASE_WALLET: wallet,
    BASE_CONFIRMATIONS: '3',
    WEBHOOK_RETRY_SCHEDULE_MS: '0,200,200,200,200,200',
    LOG_LEVEL: 'info',
  },
})
let service: Service

beforeAll(async () => {
  service = await start()
  await call('POST', '/v1/webhooks', {
    url: receiver.url,
    events: ['invoice.paid', 'invoice.settled', 'invoice.completed', 'settlement.failed'],
    secret,
  })
})

async function call(method: string, path: string, body?: object) {
  const { status, text, json } = await send(method, path, body)
  // Where the machine is so busy that the database answers late, the service says to come again.
  if (status === 503 && method === 'GET') {
    await Bun.sleep(1_000)
    return call(method, path)
  }
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return json.data
}

/** The public bundle of a receipt. */
async function verdictOn(bundle: unknown): Promise<Verdict> {
  return verifyReceipt(bundle, node.url, (await send('GET', '/.well-known/quittance')).json.anchor)
}

async function bundleOf(receiptId: string): Promise<Bundle> {
  return (await send('GET', `/v1/public/receipts/${receiptId}/bundle`)).json
}

const createInvoice = (amount: number, over = {}) => createdInvoice({ send }, { amount, ...over })

function pay(usdcBase: bigint, reference?: string) {
  return node.transfer({
    from: node.wallet(1).address,
    to: wallet,
    usdcBase,
    ...(reference && { reference }),
  })
}

async function eventually<T>(
  look: () => Promise<T>,
  wanted: (found: T) => boolean,
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await look()
    if (wanted(found)) return found
    if (performance.now() > deadline)
      throw new Error(`not within ${limitMs} ms; last seen ${JSON.stringify(found)}`)
    await Bun.sleep(50)
  }
}

function settled(id: string) {
  return eventually(
    () => call('GET', `/v1/invoices/${id}`),
    (invoice) => invoice.status === 'SETTLED',
  )
}

function of(id: string, type: string) {
  return (envelope: Envelope) =>
    envelope.type === type && (envelope.data.id ?? envelope.data.invoiceId) === id
}

function deliveriesOf(id: string, type: string): readonly Envelope[] {
  return receiver.received.map(({ body }) => JSON.parse(body) as Envelope).filter(of(id, type))
}

describe('a paid invoice', () => {
  test('by reference: settled at the confirmation depth, delivered signed, receipted, verifiable from the bundle and a node alone', async () => {
    const invoice = await createInvoice(1.25)
    const txHash = await pay(1_250_000n, invoice.paymentDetails.reference)
    await receiver.next(of(invoice.id, 'invoice.paid'))
    expect((await call('GET', `/v1/invoices/${invoice.id}`)).status).toBe('PENDING')
    await node.mine(2)
    const { paymentDetails } = await settled(invoice.id)
    expect(paymentDetails).toMatchObject({
      txHash,
      matchedBy: 'reference',
      settlementSource: 'evm-detector',
      amountReceived: '1.25',
      from: node.wallet(1).address.toLowerCase(),
    })
    const delivery = await receiver.next(of(invoice.id, 'invoice.settled'))
    expect(verify(delivery, secret)).toEqual({ plain: true, standard: true })
    await receiver.next(of(invoice.id, 'invoice.completed'))
    const { receiptId } = await call('GET', `/v1/invoices/${invoice.id}`)
    const bundle = await bundleOf(receiptId)
    expect(await verdictOn(bundle)).toMatchObject({ ok: true, receiptId })
    expect((await call('GET', `/v1/receipts/${receiptId}`)).status).toBe('anchored')
    const tampered = JSON.parse(JSON.stringify(bundle).replace('"1.25"', '"9.99"'))
    expect(await verdictOn(tampered)).toMatchObject({ ok: false, problem: 'wrong_hash' })
    const path = `/v1/public/receipts/${receiptId}/bundle?show=settled,gross`
    const redacted = (await send('GET', path)).json
    const claims = { settled: true, gross: '1.25' }
    expect(await verdictOn(redacted)).toMatchObject({ ok: true, receiptId: null, claims })
    expect(JSON.stringify(redacted)).not.toContain(invoice.id)
  })

  test('by amount: the one open invoice of exactly this amount made before the end of its block’s second', async () => {
    const invoice = await createInvoice(2.345678)
    await pay(2_345_678n)
    await node.mine(2)
    expect((await settled(invoice.id)).paymentDetails.matchedBy).toBe('amount')
  })

  test('in two referenced parts: open with what has come, then settled once', async () => {
    const invoice = await createInvoice(3)
    await pay(1_000_000n, invoice.paymentDetails.reference)
    const partly = await eventually(
      () => call('GET', `/v1/invoices/${invoice.id}`),
      ({ paymentDetails }) => paymentDetails.amountReceived === '1.00',
    )
    expect(partly.status).toBe('PENDING')
    await pay(2_500_000n, invoice.paymentDetails.reference)
    await node.mine(3)
    expect((await settled(invoice.id)).paymentDetails).toMatchObject({
      amountReceived: '3.50',
      overpaidAmount: '0.50',
    })
    await receiver.next(of(invoice.id, 'invoice.completed'))
    expect(deliveriesOf(invoice.id, 'invoice.settled').length).toBe(1)
  })
})

test('an invoice with lines at two rates is due their total, and settles like any other', async () => {
  const line = { description: 'Work', quantity: '1.5', unit: 'HUR', unitPrice: 2 }
  const lined = await createInvoice(4, {
    taxCountry: 'DE',
    ...{ buyerCountry: 'AT', sellerName: 'Grace', sellerVat: 'DE123456788' },
    lines: [line, { description: 'Paper', quantity: 1, unitPrice: 1, taxCategory: 'reduced' }],
  })
  expect(lined).toMatchObject({ total: 4.64, taxRate: null })
  await pay(4_640_000n, lined.paymentDetails.reference)
  await node.mine(2)
  expect(await settled(lined.id)).toMatchObject({ lines: lined.lines })
  await receiver.next(of(lined.id, 'invoice.completed'))
  const { receiptId } = await call('GET', `/v1/invoices/${lined.id}`)
  expect(await verdictOn(await bundleOf(receiptId))).toMatchObject({ ok: true })
  const receipt = await call('GET', `/v1/receipts/${receiptId}`)
  const tax = { taxRateBasisPoints: null, subtotal: '4', tax: '0.64' }
  expect(receipt.claims).toMatchObject(tax)
})

describe('a payment that is not certain', () => {
  test('is nobody’s when two accounts are due the same: held as ambiguous, neither settles', async () => {
    const stranger = await openAccount(database.sql, keyFrom(testSecretsKey), {
      name: 'Stranger',
      plan: 'pro',
    })
    const invoice = await createInvoice(4.5)
    const rival = await createdInvoice({ send }, { amount: 4.5 }, stranger.v1Key)
    const txHash = await pay(4_500_000n)
    await node.mine(3)
    const [transfer] = await eventually(
      () =>
        database.sql`select state, held_as, invoice_id from transfers where tx_hash = ${toBytes(txHash)}`,
      ([found]) => found?.state === 'confirmed',
    )
    expect(transfer).toEqual({ state: 'confirmed', held_as: 'ambiguous', invoice_id: null })
    expect((await call('GET', `/v1/invoices/${invoice.id}`)).status).toBe('PENDING')
    for (const { id } of [invoice, rival]) {
      const page = (await send('GET', `/pay/${id}/status`)).json
      expect(page).toMatchObject({ isHeld: true, needsReference: false })
    }
  })

  test('reorganised away before the depth leaves the invoice payable; paid again, it settles once', async () => {
    const invoice = await createInvoice(5.5)
    await pay(5_500_000n, invoice.paymentDetails.reference)
    await receiver.next(of(invoice.id, 'invoice.paid'))
    await node.reorg(1)
    await eventually(
      () => call('GET', `/v1/invoices/${invoice.id}`),
      ({ paymentDetails }) => paymentDetails.amountReceived === '0.00',
    )
    await pay(5_500_000n, invoice.paymentDetails.reference)
    await node.mine(3)
    await settled(invoice.id)
    await receiver.next(of(invoice.id, 'invoice.completed'))
    expect(deliveriesOf(invoice.id, 'invoice.settled').length).toBe(1)
  })

  test('reorganised away after settling reopens the invoice and revokes the receipt', async () => {
    const invoice = await createInvoice(6.5)
    await pay(6_500_000n, invoice.paymentDetails.reference)
    await node.mine(2)
    const { receiptId } = await settled(invoice.id)
    await receiver.next(of(invoice.id, 'invoice.completed'))
    expect(await verdictOn(await bundleOf(receiptId))).toMatchObject({ ok: true })
    await node.reorg(6)
    await node.mine(7)
    await receiver.next(of(invoice.id, 'settlement.failed'))
    expect(await call('GET', `/v1/invoices/${invoice.id}`)).toMatchObject({
      status: 'PENDING',
      receiptId: null,
    })
    expect((await call('GET', `/v1/receipts/${receiptId}`)).status).toBe('revoked')
    await eventually(
      async () => verdictOn(await bundleOf(receiptId)),
      (verdict) => !verdict.ok && verdict.problem === 'revoked',
    )
  })
})

describe('nothing is lost or done twice', () => {
  test('killed with SIGKILL between transfer and settlement: one settlement, one event id, one receipt', async () => {
    const invoice = await createInvoice(7.5)
    await service.kill()
    await pay(7_500_000n, invoice.paymentDetails.reference)
    await node.mine(3)
    service = await start()
    // Kills the service again, in the middle of its work.
    await Bun.sleep(150)
    await service.kill()
    service = await start()
    await settled(invoice.id)
    await receiver.next(of(invoice.id, 'invoice.completed'), 40_000)
    // Work of the killed process is due again after its lease, so the earlier event may come later.
    await receiver.next(of(invoice.id, 'invoice.settled'), 40_000)
    expect(new Set(deliveriesOf(invoice.id, 'invoice.settled').map(({ id }) => id)).size).toBe(1)
    const [counts] = await database.sql`select
      (select count(*)::int from trail_steps where subject_id = ${invoice.id} and type = 'invoice.settled') as settled,
      (select count(*)::int from receipts where subject_id = ${invoice.id}) as receipts,
      (select count(*)::int from transfers where invoice_id = ${invoice.id}) as transfers`
    expect(counts).toEqual({ settled: 1, receipts: 1, transfers: 1 })
  })

  test('with every queue emptied, pending deliveries, anchors and expiries are found again within a minute', async () => {
    const expiring = await createInvoice(1, {
      dueAt: new Date(Date.now() + 3_000).toISOString(),
    })
    const invoice = await createInvoice(8.5)
    await pay(8_500_000n, invoice.paymentDetails.reference)
    await node.mine(2)
    await settled(invoice.id)
    const tables =
      await database.sql`select tablename from pg_tables where schemaname = 'bullmq' and tablename not like '%migration%'`
    for (const { tablename } of tables)
      await database.sql`delete from ${database.sql(`bullmq.${tablename}`)}`
    const later = await createInvoice(9.5)
    await pay(9_500_000n, later.paymentDetails.reference)
    await node.mine(3)
    await receiver.next(of(invoice.id, 'invoice.completed'), 60_000)
    await receiver.next(of(later.id, 'invoice.completed'), 60_000)
    await eventually(
      () => call('GET', `/v1/invoices/${expiring.id}`),
      ({ status }) => status === 'FAILED',
      60_000,
    )
  })

  test('SIGTERM ends the service with exit code 0 while requests are under way', async () => {
    const body = { currency: 'USDC', customerName: 'Ada', customerEmail: 'ada@example.com' }
    const requests = Promise.allSettled(
      Array.from({ length: 50 }, () => send('POST', '/v1/invoices', { amount: 1, ...body })),
    )
    await Bun.sleep(20)
    expect(await service.stop()).toBe(0)
    // A request is either answered completely or was never accepted.
    for (const result of await requests)
      if (result.status === 'fulfilled') expect(result.value.status).toBeLessThan(500)
  })
})
