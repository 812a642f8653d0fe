import { expect, test } from 'bun:test'
import {
  firstAddressAt,
  paymentAddresses,
} from '../../../src/storage/invoices/payment-addresses.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { newInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const account = '0190a000-0000-7000-8000-000000000001'

const { database: db } = useWorld({ service: 'none' })

test('the commit that inserts invoices makes each address watched, and none that somebody else is paid at', async () => {
  const invoices = [
    newInvoice(account, { payTo: '0xAA' }),
    newInvoice(account, { payTo: '0xaa' }),
    newInvoice(account, { payTo: '0xd7', depositIndex: 7 }),
    newInvoice(account, { chain: 'polygon', payTo: '0xaa' }),
    newInvoice(account, { payTo: '0xee', isPurchase: true }),
  ]
  for (const some of [invoices, [newInvoice(account, { payTo: '0xaa' })]])
    await storeInvoices(db.sql, some)
  expect((await paymentAddresses(db.sql, 'base', null))?.toSorted()).toEqual(['0xaa', '0xd7'])
  expect(await paymentAddresses(db.sql, 'polygon', null)).toEqual(['0xaa'])
})

test('the first address of a chain, shared or of one invoice, is known without a look at the invoices, and later ones change nothing', async () => {
  const first = await firstAddressAt(db.sql, 'base')
  expect(first).toBeInstanceOf(Date)
  await rememberPaymentAddress(db.sql, 'base', '0xbb')
  await storeInvoices(db.sql, [newInvoice(account, { payTo: '0xd8', depositIndex: 8 })])
  await db.sql.begin(async (sql) => {
    await sql`lock invoices in access exclusive mode`
    expect(await firstAddressAt(db.sql, 'base')).toEqual(first)
    expect(await firstAddressAt(db.sql, 'solana')).toBeNull()
  })
  const deposit = { chain: 'solana', payTo: 'D9', depositIndex: 9 } as const
  await storeInvoices(db.sql, [newInvoice(account, deposit)])
  expect(await firstAddressAt(db.sql, 'solana')).toBeInstanceOf(Date)
})
