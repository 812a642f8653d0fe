import { beforeAll, describe, expect, test } from 'bun:test'
import { anInvoice, createdInvoice, refused, testWallet } from '../../support/app.ts'
import { credited, payInvoice } from '../../support/credit-notes.ts'
import { aMandate } from '../../support/mandates.ts'
import { claimsIn } from '../../support/receipts.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
const seller = { name: 'Grace Example GmbH', wallet: testWallet }
const buyer = { companyName: 'Ada Example Ltd', email: 'ada@example.com' }
const reason = 'Returned'

/** 10.00 USD and 1.90 of German VAT. */
async function ofMinor(over: object = {}): Promise<string> {
  const body = { amount: 1_000, currency: 'USD', taxCountry: 'DE', buyer, seller, ...over }
  return (await app.send('POST', '/api/invoices', body)).json.id
}

async function read(id: string) {
  return (await app.send('GET', `/api/invoices/${id}`)).json
}

async function settled(over: object = {}): Promise<string> {
  const id = await ofMinor(over)
  await payInvoice(app, id, { usdcBase: 11_900_000n })
  return id
}

describe('crediting', () => {
  test('a part of an open invoice lowers what is due, with its link, and says so on the invoice', async () => {
    const id = await ofMinor()
    const { status, json } = await credited(app, id, { reason, amount: 238 })
    const { invoiceNumber } = await read(id)
    expect([status, json]).toEqual([
      201,
      {
        id: expect.any(String),
        creditNoteNumber: expect.stringMatching(/^CN-\d{4}-\d{4}$/),
        status: 'issued',
        invoiceId: id,
        invoiceNumber,
        kind: 'sale',
        reason,
        currency: 'USD',
        subtotal: 200,
        taxAmount: 38,
        total: 238,
        amountUsdc: '2.38',
        taxBreakdown: [{ category: 'standard', rate: 19, base: 200, tax: 38 }],
        refunds: [],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    const { total, amountCredited, paymentDetails } = await read(id)
    const { amountDue, paymentUri } = paymentDetails
    expect([total, amountCredited, amountDue]).toEqual([1_190, 238, '9.52'])
    expect(paymentUri).toEndWith('uint256=9520000')
    const { json: page } = await app.keyless('GET', `/pay/${id}/status`)
    expect([page.credited, page.amountDue, page.amountRemaining]).toEqual(['2.38', '9.52', '9.52'])
    await payInvoice(app, id, { usdcBase: 9_520_000n })
    expect((await read(id)).status).toBe('settled')
  })

  test('all of an open invoice that has received nothing ends it', async () => {
    const id = await ofMinor()
    const { json } = await credited(app, id, { reason })
    expect([json.total, json.refunds]).toEqual([1_190, []])
    const { status, statusDetail } = await read(id)
    expect([status, statusDetail]).toEqual(['failed', 'credited'])
    expect(refused(await credited(app, id, { reason }))).toEqual([409, 'CREDIT_EXCEEDED'])
  })

  test('settles an invoice of which enough has come, and promises the rest back', async () => {
    const id = await ofMinor()
    await payInvoice(app, id, { usdcBase: 4_000_000n })
    const { json } = await credited(app, id, { reason, amount: 952 })
    const payer = `0x${'bb'.repeat(20)}`
    const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    expect(json.refunds).toEqual([
      {
        payer,
        to: payer,
        chain: 'base',
        amount: '1.62',
        status: 'open',
        sequence: 0,
        paymentUri: `ethereum:${usdc}@8453/transfer?address=${payer}&uint256=1620000`,
      },
    ])
    const { status, paymentDetails, receiptId } = await read(id)
    expect([status, paymentDetails.overpaidAmount, receiptId]).toEqual([
      'settled',
      undefined,
      expect.stringMatching(/^drs_/),
    ])
    const { json: bundle } = await app.send('GET', `/v1/public/receipts/${receiptId}/bundle`)
    expect(claimsIn(bundle).gross).toBe('4.00')
  })

  test('a settled invoice promises it back to those who paid last, and changes nothing else', async () => {
    const id = await ofMinor()
    await payInvoice(app, id, { usdcBase: 5_900_000n, from: `0x${'01'.repeat(20)}` })
    await payInvoice(app, id, { usdcBase: 6_000_000n, from: `0x${'02'.repeat(20)}` })
    const first = await credited(app, id, { reason, lines: [{ line: 1, quantity: '0.6' }] })
    const rest = await credited(app, id, { reason })
    const refundsOf = (json: { refunds: readonly { payer: string; amount: string }[] }) =>
      json.refunds.map(({ payer, amount }) => `${amount} to ${payer.slice(0, 4)}`)
    expect([first.json.lines, first.json.total]).toEqual([
      [{ line: 1, quantity: '0.6', net: 600 }],
      714,
    ])
    expect(refundsOf(first.json)).toEqual(['6.00 to 0x02', '1.14 to 0x01'])
    expect(refundsOf(rest.json)).toEqual(['4.76 to 0x01'])
    const { status, paymentDetails, amountCredited } = await read(id)
    expect([status, paymentDetails.amountDue, amountCredited]).toEqual(['settled', '11.90', 1_190])
  })

  test('asks for no refund of a payment that a reorganisation has taken back', async () => {
    const id = await settled()
    const { json } = await credited(app, id, { reason })
    await app.database.sql`update invoices set state = 'sent' where id = ${id}`
    const { json: waiting } = await app.send('GET', `/api/credit-notes/${json.id}`)
    expect(waiting.refunds).toEqual([{ ...json.refunds[0], status: 'withheld', paymentUri: null }])
  })

  test('answers in the amounts and the envelope of each family', async () => {
    const id = await ofMinor()
    const flat = await credited(app, id, { reason, amount: 1 }, { path: '/api/v1/invoices' })
    const decimal = await credited(app, id, { reason, amount: '0.02' }, { path: '/v1/invoices' })
    expect([flat.status, flat.json.total, decimal.status, decimal.json.data.total]).toEqual([
      201, 1, 201, 0.02,
    ])
    const { json } = await app.send('GET', `/v1/invoices/${id}`)
    expect([json.data.amountCredited, decimal.json.data.invoiceNumber]).toEqual([
      0.03,
      json.data.invoiceNumber,
    ])
  })

  test('gives the mandate its part back, and voiding later only the rest', async () => {
    const mandate = await aMandate(app, undefined, undefined, { amount: 20, currency: 'USD' })
    const bound = async () => {
      const [row] = await app.database.sql<
        { bound: string }[]
      >`select bound_micro as bound from mandates where id = ${mandate.id}`
      return row?.bound
    }
    const id = await ofMinor({ mandateId: mandate.id })
    expect(await bound()).toBe('11900000')
    await credited(app, id, { reason, amount: 190 })
    expect(await bound()).toBe('10000000')
    await app.send('POST', `/api/invoices/${id}/void`)
    expect(await bound()).toBe('0')
  })

  test('twice with one Idempotency-Key makes one note, also after the invoice has changed', async () => {
    const id = await ofMinor()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await credited(app, id, { reason }, { headers })
    const again = await credited(app, id, { reason }, { headers })
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.json,
      'true',
    ])
    const other = await credited(app, id, { reason: 'Other' }, { headers })
    expect(refused(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('twenty at once never credit more than there is, and their numbers have no gap', async () => {
    const ids = [await ofMinor(), await settled()]
    const before = await lastNumber()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        credited(app, ids[n % 2] ?? '', { reason, amount: 200 + n }),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.map(refused)).toEqual(others.map(() => [409, 'CREDIT_EXCEEDED']))
    for (const id of ids) {
      const ofThis = made.filter(({ json }) => json.invoiceId === id)
      const sum = ofThis.reduce((total, { json }) => total + json.total, 0)
      expect([sum > 900, sum <= 1_190, (await read(id)).amountCredited]).toEqual([true, true, sum])
    }
    const numbers = made.map(({ json }) => Number(json.creditNoteNumber.split('-')[2])).sort(by)
    expect(numbers).toEqual(numbers.map((_, at) => before + 1 + at))
  })
})

const by = (a: number, b: number) => a - b

async function lastNumber(): Promise<number> {
  const [row] = await app.database.sql<{ last: number }[]>`
    select last_number as last from credit_note_numbers where account_id = ${app.account.account.id}`
  return row?.last ?? 0
}

describe('a credit note is refused', () => {
  const line = (over: object = {}) => ({ line: 1, quantity: 1, ...over })

  // biome-ignore format: a table
  const malformed: readonly (readonly [string, object, string])[] = [
    ['without a reason', { amount: 1 }, 'reason'],
    ['with a blank reason', { reason: '' }, 'reason'],
    ['with an amount and lines', { reason, amount: 1, lines: [line()] }, 'amount'],
    ['with no lines', { reason, lines: [] }, 'lines'],
    ['for a line that does not exist', { reason, lines: [line({ line: 2 })] }, 'lines/0/line'],
    ['for a line twice', { reason, lines: [line({ quantity: 0.1 }), line({ quantity: 0.2 })] }, 'lines/1/line'],
    ['for no quantity', { reason, lines: [line({ quantity: 0 })] }, 'lines/0/quantity'],
    ['for a quantity of seven places', { reason, lines: [line({ quantity: '0.0000001' })] }, 'lines/0/quantity'],
    ['with the number of a seller', { reason, number: 'G-1' }, 'number'],
  ]
  for (const [why, body, path] of malformed)
    test(`${why}: 400 at ${path}`, async () => {
      const answer = await credited(app, await ofMinor(), body)
      expect([...refused(answer), answer.json.error.details[0].path]).toEqual([
        400,
        'INVALID_REQUEST',
        path,
      ])
    })

  // biome-ignore format: a table
  const amounts: readonly (readonly [unknown, string, number, string])[] = [
    [0, '/api/invoices', 400, 'INVALID_AMOUNT'],
    ['100', '/api/invoices', 400, 'INVALID_AMOUNT'],
    [1.5, '/api/v1/invoices', 400, 'INVALID_AMOUNT'],
    ['0.001', '/v1/invoices', 400, 'INVALID_AMOUNT'],
    [null, '/v1/invoices', 400, 'INVALID_AMOUNT'],
    [1_191, '/api/invoices', 409, 'CREDIT_EXCEEDED'],
    [11.91, '/v1/invoices', 409, 'CREDIT_EXCEEDED'],
  ]
  for (const [amount, path, status, code] of amounts)
    test(`for ${amount} on ${path}: ${status} ${code}`, async () => {
      const answer = await credited(app, await ofMinor(), { reason, amount }, { path })
      expect(refused(answer)).toEqual([status, code])
    })

  test('of more of a line than is left: 409', async () => {
    const id = await ofMinor()
    await credited(app, id, { reason, lines: [line({ quantity: '0.5' })] })
    const more = await credited(app, id, { reason, lines: [line({ quantity: '0.500001' })] })
    expect(refused(more)).toEqual([409, 'CREDIT_EXCEEDED'])
  })

  test('on a void invoice, and while a payment is being confirmed, each with its own message', async () => {
    const voided = await ofMinor()
    await app.send('POST', `/api/invoices/${voided}/void`)
    const seen = await ofMinor()
    await payInvoice(app, seen, { usdcBase: 1_000_000n, state: 'seen' })
    const answers = [await credited(app, voided, { reason }), await credited(app, seen, { reason })]
    expect(answers.map(refused)).toEqual(answers.map(() => [409, 'INVALID_STATE']))
    const [ofVoid, ofSeen] = answers.map(({ json }) => json.error.message)
    expect([ofVoid, ofSeen]).toEqual([
      expect.stringContaining('void'),
      expect.stringContaining('try again once it is confirmed'),
    ])
  })

  test('on another account’s invoice: 404', async () => {
    const theirs = await anInvoice(app, {}, app.other.v1Key)
    expect(refused(await credited(app, theirs, { reason }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('credit notes', () => {
  const ids: string[] = []
  let invoiceId = ''

  beforeAll(async () => {
    invoiceId = await ofMinor()
    for (let n = 1; n <= 3; n++)
      ids.unshift((await credited(app, invoiceId, { reason, amount: n })).json.id)
  })

  test('are listed page by page, the newest first, those of one invoice on request', async () => {
    const path = `/api/credit-notes?invoiceId=${invoiceId}&limit=2`
    const { json: first } = await app.send('GET', path)
    const { json: second } = await app.send('GET', `${path}&cursor=${first.nextCursor}`)
    const idsOf = (json: { data: readonly { id: string }[] }) => json.data.map(({ id }) => id)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect([first.hasMore, second.hasMore, second.nextCursor]).toEqual([true, false, null])
    const { json: all } = await app.send('GET', '/v1/credit-notes?limit=100')
    expect(all.data.length).toBeGreaterThan(3)
    const refusals = ['?page=2', '?invoiceId=x', '?cursor=x'].map((query) =>
      app.send('GET', `/api/credit-notes${query}`),
    )
    for (const answer of await Promise.all(refusals))
      expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })

  test('are read by their id, by their own account alone', async () => {
    const { json } = await app.send('GET', `/api/credit-notes/${ids[0]}`)
    expect([json.id, json.total]).toEqual([ids[0], 3])
    const { json: decimal } = await app.send('GET', `/v1/credit-notes/${ids[0]}`)
    expect([decimal.success, decimal.data.total]).toEqual([true, 0.03])
    const headers = { 'x-api-key': app.other.v1Key }
    const theirs = await app.send('GET', `/api/credit-notes/${ids[0]}`, undefined, headers)
    expect(refused(theirs)).toEqual([404, 'NOT_FOUND'])
  })

  test('stand in the invoice’s timeline, and are announced', async () => {
    const { json } = await app.send('GET', `/api/invoices/${invoiceId}/timeline`)
    const steps = json.data.filter(({ type }: { type: string }) => type === 'invoice.credited')
    const { json: last } = await app.send('GET', `/api/credit-notes/${ids[0]}`)
    expect([steps.length, steps[2].creditNote]).toEqual([3, last.creditNoteNumber])
    const [event] = await app.database.sql<{ type: string; data: string }[]>`
      select type, data from trail_steps where subject_id = ${ids[0] ?? ''}`
    const [{ count } = { count: 0 }] = await app.database.sql<{ count: number }[]>`
      select count(*)::integer as count from outbox where ${ids[0] ?? ''}::uuid = any(subject_ids)`
    expect([event?.type, JSON.parse(event?.data ?? ''), count]).toEqual([
      'credit_note.issued',
      last,
      1,
    ])
  })

  test('leave an invoice without any as it was, to the byte', async () => {
    const { text } = await app.send('GET', `/api/invoices/${await ofMinor()}`)
    expect(text).not.toContain('amountCredited')
    expect(await createdInvoice(app)).not.toHaveProperty('amountCredited')
  })
})
