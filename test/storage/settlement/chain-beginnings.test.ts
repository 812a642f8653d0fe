import { afterEach, beforeEach, expect, test } from 'bun:test'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { firstAddressAt } from '../../../src/storage/invoices/payment-addresses.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { newInvoice } from '../../support/stored-invoice.ts'

const account = '0190a000-0000-7000-8000-000000000001'

let db: TestDatabase

beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

test('the first address of a chain is known without a look at the invoices, however many there are', async () => {
  await rememberPaymentAddress(db.sql, 'base', '0xaa')
  await db.sql.begin(async (sql) => {
    await sql`lock invoices in access exclusive mode`
    expect(await firstAddressAt(db.sql, 'polygon')).toBeNull()
    expect(await firstAddressAt(db.sql, 'base')).toBeInstanceOf(Date)
  })
})

test('later addresses of a chain, shared or of one invoice, change nothing', async () => {
  const depositIndex = 7
  await db.sql`insert into payment_addresses (chain, address) values ('base', '0xaa'), ('solana', 'Wa')`
  const [base, solana] = await beginnings()
  await rememberPaymentAddress(db.sql, 'base', '0xbb')
  const invoice = newInvoice(account, { chain: 'base', payTo: '0xd7', depositIndex })
  await insertAll(db.sql, [{ invoice, idempotency: null }])
  expect(await beginnings()).toEqual([base, solana])
})

test('a chain whose first address is of one invoice begins with it', async () => {
  const invoice = newInvoice(account, { chain: 'polygon', payTo: '0xd7', depositIndex: 7 })
  await insertAll(db.sql, [{ invoice, idempotency: null }])
  expect(await firstAddressAt(db.sql, 'polygon')).toBeInstanceOf(Date)
})

function beginnings() {
  return Promise.all([firstAddressAt(db.sql, 'base'), firstAddressAt(db.sql, 'solana')])
}
