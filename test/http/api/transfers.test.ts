import { beforeAll, describe, expect, test } from 'bun:test'
import { anInvoice, keyWith, testWallet } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let operator: Record<string, string>

beforeAll(async () => {
  operator = { 'x-api-key': await keyWith(app, ['admin']) }
})

const cursorAt = (time: string) =>
  `?cursor=${Buffer.from(`${time} base:0x1:0`).toString('base64url')}`

const nobody = Bun.randomUUIDv7()

const theirInvoice = (over = {}) => anInvoice(app, over, app.other.v1Key)

/** An invoice of the other account, as that reads it. */
async function read(invoiceId: string) {
  const headers = { 'x-api-key': app.other.v1Key }
  return (await app.send('GET', `/v1/invoices/${invoiceId}`, undefined, headers)).json.data
}

function held(over: Partial<Parameters<typeof heldTransfer>[1]> = {}): Promise<string> {
  return heldTransfer(app.database.sql, { usdcBase: 12_500_000n, ...over })
}

function list(query: string) {
  return app.send('GET', `/api/transfers${query}`, undefined, operator)
}

function assign(id: string, invoiceId: string) {
  return app.send('POST', `/api/transfers/${id}/assign`, { invoiceId }, operator)
}

async function code(answer: ReturnType<typeof assign>) {
  const { status, json } = await answer
  return [status, json.error?.code]
}

describe('the list', () => {
  test('shows held transfers whole, newest first, with what has been taken back left out', async () => {
    const at = new Date('2026-05-01T12:00:00.000Z')
    const from = `0x${'cd'.repeat(20)}`
    const id = await held({ at, from, heldAs: 'ambiguous', chain: 'skale' })
    await held({ state: 'reverted', chain: 'skale' })
    const { status, json } = await list('?status=unmatched&chain=skale')
    const [chain, txHash] = id.split(':')
    const shown = {
      id,
      chain,
      txHash,
      position: 3,
      blockNumber: 100,
      blockTime: at.toISOString(),
      from,
      to: testWallet.toLowerCase(),
      amount: '12.50',
      status: 'ambiguous',
      state: 'confirmed',
      invoiceId: null,
      matchedBy: null,
      assignedBy: null,
      createdAt: at.toISOString(),
    }
    const paging = { total: 1, page: 1, limit: 10, hasMore: false, nextCursor: null }
    expect([status, json]).toEqual([200, { data: [shown], ...paging }])
    const all = (await list('?chain=skale')).json
    const states = all.data.map(({ state }: { state: string }) => state)
    expect([all.total, states.sort()]).toEqual([2, ['confirmed', 'reverted']])
    expect((await list('?chain=skale&status=ambiguous')).json.total).toBe(1)
    expect((await list('?chain=skale&status=matched')).json.total).toBe(0)
  })

  test('pages by cursor and by number alike, also through one moment', async () => {
    const at = new Date('2026-05-02T12:00:00.000Z')
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => held({ at, chain: 'arbitrum' })))
    const seen: string[] = []
    for (let cursor = '', page = 1; ; page++) {
      const { json } = await list(`?chain=arbitrum&limit=2${cursor}`)
      const numbered = await list(`?chain=arbitrum&limit=2&page=${page}`)
      expect(numbered.json.data).toEqual(json.data)
      seen.push(...json.data.map(({ id }: { id: string }) => id))
      if (!json.hasMore) break
      cursor = `&cursor=${json.nextCursor}`
    }
    expect(seen).toEqual(ids.sort().reverse())
  })

  test.each([
    '?status=lost',
    '?chain=bitcoin',
    '?limit=0',
    '?limit=101',
    '?page=0',
    '?cursor=',
    '?cursor=bm90IG91cnM',
    cursorAt('0000-01-01T00:00:00.000Z'),
    cursorAt('+275760-09-12T00:00:00.000Z'),
    cursorAt('9999-12-31T23:59:59.000-01:00'),
    '?status=unmatched&status=matched',
  ])('400 for %s', async (query) => {
    expect(await code(list(query))).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('assigning', () => {
  test('settles an invoice of another account, once, and remembers whose key it was', async () => {
    const id = await held()
    const invoiceId = await theirInvoice()
    const first = await assign(id, invoiceId)
    const { assignedBy } = first.json
    expect([first.status, first.json.id]).toEqual([200, id])
    expect(first.json).toMatchObject({ status: 'matched', invoiceId, matchedBy: 'operator' })
    const [key] = await app.database.sql`select account_id from api_keys where id = ${assignedBy}`
    expect(key?.account_id).toBe(app.account.account.id)
    const paymentDetails = { matchedBy: 'operator', amountReceived: '12.50' }
    expect(await read(invoiceId)).toMatchObject({ status: 'SETTLED', paymentDetails })
    expect((await assign(id, invoiceId)).json).toEqual(first.json)
    const [receipts] = await app.database
      .sql`select count(*)::integer as number from receipts where subject_id = ${invoiceId}`
    expect(receipts?.number).toBe(1)
  })

  test('finds the transfer however its id is written in the path', async () => {
    const id = await held()
    const answer = await assign(encodeURIComponent(id), await theirInvoice())
    expect([answer.status, answer.json.id]).toEqual([200, id])
  })

  test('parts add up, and too much is recorded as such', async () => {
    const invoiceId = await theirInvoice({ amount: 20 })
    await assign(await held(), invoiceId)
    const part = { amountReceived: '12.50' }
    expect(await read(invoiceId)).toMatchObject({ status: 'PENDING', paymentDetails: part })
    await assign(await held(), invoiceId)
    const all = { amountReceived: '25.00', overpaidAmount: '5.00' }
    expect(await read(invoiceId)).toMatchObject({ status: 'SETTLED', paymentDetails: all })
  })

  test('a late payment settles an expired invoice', async () => {
    const dueAt = new Date(Date.now() + 60_000)
    const invoiceId = await theirInvoice({ dueAt: dueAt.toISOString() })
    const { sql } = app.database
    const progress = JSON.stringify({ failure: 'expired', resume: 'failed' })
    await sql`update invoices set state = 'failed', progress = (progress::jsonb || ${progress}::text::jsonb)::text
      where id = ${invoiceId}`
    await assign(await held({ at: new Date(dueAt.getTime() + 1_000) }), invoiceId)
    const paymentDetails = { late: true }
    expect(await read(invoiceId)).toMatchObject({ status: 'SETTLED', paymentDetails })
  })

  test('409 for a second payment of a settled invoice, which stays held for another', async () => {
    const invoiceId = await theirInvoice()
    await assign(await held(), invoiceId)
    const double = await held()
    expect(await code(assign(double, invoiceId))).toEqual([409, 'INVALID_STATE'])
    expect((await assign(double, await theirInvoice())).status).toBe(200)
  })

  test('409 for a transfer that another invoice has', async () => {
    const id = await held()
    await assign(id, await theirInvoice())
    expect(await code(assign(id, await theirInvoice()))).toEqual([409, 'ALREADY_CREDITED'])
  })

  test.each([
    ['on another chain', { chain: 'polygon' }, 'TRANSFER_MISMATCH'],
    ['to another address', { to: `0x${'99'.repeat(20)}` }, 'TRANSFER_MISMATCH'],
    ['no longer in the chain', { state: 'reverted' }, 'INVALID_STATE'],
  ] as const)('409 for a transfer %s', async (_, over, reason) => {
    expect(await code(assign(await held(over), await theirInvoice()))).toEqual([409, reason])
  })

  test('409 for a voided invoice', async () => {
    const invoiceId = await anInvoice(app)
    await app.send('POST', `/api/invoices/${invoiceId}/void`)
    expect(await code(assign(await held(), invoiceId))).toEqual([409, 'INVALID_STATE'])
  })

  test('404 for a transfer or an invoice that there is not', async () => {
    const none = [404, 'NOT_FOUND']
    for (const id of ['x', 'base:0x00:0', 'bitcoin:0x00:0', `base:0x00:${2 ** 31}`, 'base:%00:1'])
      expect(await code(assign(id, await theirInvoice()))).toEqual(none)
    for (const invoiceId of [nobody, 'x', nobody.toUpperCase()])
      expect(await code(assign(await held(), invoiceId))).toEqual(none)
  })

  test('400 without an invoice id', async () => {
    const path = `/api/transfers/${await held()}/assign`
    for (const body of [{}, { invoiceId: 1 }, { invoiceId: '' }])
      expect(await code(app.send('POST', path, body, operator))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('many operators at once credit a transfer to one invoice', async () => {
    const id = await held()
    const invoices = await Promise.all(Array.from({ length: 10 }, () => theirInvoice()))
    const answers = await Promise.all(invoices.map((invoiceId) => code(assign(id, invoiceId))))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    const refused = answers.filter(([status]) => status !== 200)
    expect(refused).toEqual(refused.map(() => [409, 'ALREADY_CREDITED']))
  })
})
