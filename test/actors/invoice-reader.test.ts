import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createInvoiceReader, type InvoiceReader } from '../../src/actors/invoice-reader.ts'
import { changeOf } from '../../src/actors/invoices.ts'
import { decide } from '../../src/domain/invoices/decide.ts'
import { evolve } from '../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../src/domain/invoices/invoice.ts'
import { toJson } from '../../src/domain/invoices/view.ts'
import { updateAll } from '../../src/storage/invoices/invoices.ts'
import { type ChangeFeed, listenForChanges } from '../../src/storage/postgres/changes.ts'
import { connect, type Sql } from '../../src/storage/postgres/db.ts'
import { storedInvoice } from '../support/stored-invoice.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
const account = Bun.randomUUIDv7()
const now = () => new Date()
let feedSql: Sql
let feed: ChangeFeed
let reader: InvoiceReader
let loads: number

beforeAll(async () => {
  const counted = new Proxy(db.sql, {
    apply(sql, self, asked) {
      if (asked[0][0].startsWith('select')) loads++
      return Reflect.apply(sql as never, self, asked)
    },
  })
  feedSql = connect(db.url, { max: 1, name: 'feed test' })
  reader = createInvoiceReader({
    sql: counted,
    isFresh: () => feed.isFresh(),
    most: 3,
    mostCharacters: 36_000,
  })
  feed = listenForChanges(feedSql, {
    name: 'test',
    steadyMs: () => performance.now(),
    onChanged: (ids) => reader.forget(ids),
    onGap: () => reader.forgetAll(),
    onFault: () => {},
  })
  await eventually(() => feed.isFresh())
})

beforeEach(() => {
  loads = 0
})

afterAll(async () => {
  await feed.close()
  await feedSql.end({ timeout: 1 })
})

const newInvoice = () => storedInvoice(db.sql, account)

/** Voids an invoice as another process would: through storage, without this reader. */
async function voidElsewhere(before: Invoice.Invoice): Promise<void> {
  const at = now()
  const events = decide(before, { kind: 'void' }, at)
  const after = evolve(before, events, at) as Invoice.Invoice
  expect(await updateAll(db.sql, [changeOf(before, after, events)])).toEqual([true])
}

const showV1 = (invoice: Invoice.Invoice) => toJson(invoice, 'v1')
const showApi = (invoice: Invoice.Invoice) => toJson(invoice, 'api')
const v1 = () => showV1
const api = () => showApi

const statusOf = async (id: string) =>
  JSON.parse(await reader.read(account, id, v1)).status as string

describe('a read', () => {
  test('asks the database once, until somebody changes the invoice', async () => {
    const invoice = await newInvoice()
    expect(await statusOf(invoice.id)).toBe('PENDING')
    expect(typeof reader.read(account, invoice.id, v1)).toBe('string')
    expect(JSON.parse(reader.read(account, invoice.id, api) as string).status).toBe('draft')
    expect(loads).toBe(1)
    await voidElsewhere(invoice)
    await eventually(async () => (await statusOf(invoice.id)) === 'FAILED')
    expect(loads).toBe(2)
  })

  test('shows what is true at the moment, though it asks nobody for the invoice', async () => {
    const { id } = await newInvoice()
    let accepting = true
    const shows = {
      true: (invoice: Invoice.Invoice) => toJson(invoice, 'v1', true),
      false: (invoice: Invoice.Invoice) => toJson(invoice, 'v1', false),
    }
    const read = async () =>
      JSON.parse(await reader.read(account, id, () => shows[`${accepting}`])).paymentDetails
        .accepting
    expect(await read()).toBe(true)
    accepting = false
    expect(await read()).toBe(false)
    accepting = true
    expect(await read()).toBe(true)
    expect(loads).toBe(1)
  })

  test('of several invoices in one turn is one statement', async () => {
    const invoices = [await newInvoice(), await newInvoice()]
    await Promise.all(invoices.map(({ id }) => reader.read(account, id, v1)))
    expect(loads).toBe(1)
  })

  test('of another account’s invoice is not_found, kept or not', async () => {
    const { id } = await newInvoice()
    const stranger = () => Promise.resolve(reader.read(Bun.randomUUIDv7(), id, v1))
    expect(stranger()).rejects.toMatchObject({ reason: 'not_found' })
    await reader.read(account, id, v1)
    expect(stranger()).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('under way while the invoice changes is not kept', async () => {
    const invoice = await newInvoice()
    const early = reader.read(account, invoice.id, v1)
    reader.forget([invoice.id])
    await early
    expect(typeof reader.read(account, invoice.id, v1)).toBe('object')
  })

  test('keeps no more than it may, the longest kept going first', async () => {
    const invoices = await Promise.all([1, 2, 3, 4].map(newInvoice))
    for (const { id } of invoices) await reader.read(account, id, v1)
    const kept = invoices.map(({ id }) => typeof reader.read(account, id, v1) === 'string')
    expect(kept).toEqual([false, true, true, true])
  })
})

describe('an invoice that is large', () => {
  test('is kept, and fewer others beside it, however it is read', async () => {
    const large = () =>
      storedInvoice(db.sql, account, {
        description: 'x'.repeat(4_000),
        metadata: `{"a":"${'y'.repeat(4_000)}"}`,
      })
    const [one, two, three] = [await large(), await large(), await large()]
    for (const { id } of [one, two]) await reader.get(account, id)
    for (const show of [v1, api]) await reader.read(account, three.id, show)
    const kept = [one, two, three].map(({ id }) => typeof reader.read(account, id, v1) === 'string')
    expect(kept).toEqual([false, false, true])
    expect(typeof reader.read(account, three.id, api)).toBe('string')
  })
})

describe('when the connection that tells of changes is lost', () => {
  test('nothing that was kept before is served', async () => {
    const invoice = await newInvoice()
    await reader.read(account, invoice.id, v1)
    await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'quittance feed test' and datname = current_database()`
    await voidElsewhere(invoice)
    await eventually(async () => (await statusOf(invoice.id)) === 'FAILED')
    await eventually(() => feed.isFresh())
    expect(await statusOf(invoice.id)).toBe('FAILED')
  })
})
