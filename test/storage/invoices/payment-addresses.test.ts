import { expect, test } from 'bun:test'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { paymentAddresses } from '../../../src/storage/invoices/payment-addresses.ts'
import { newInvoice } from '../../support/stored-invoice.ts'
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
    await insertAll(
      db.sql,
      some.map((invoice) => ({ invoice, idempotency: null })),
    )
  expect((await paymentAddresses(db.sql, 'base', null))?.toSorted()).toEqual(['0xaa', '0xd7'])
  expect(await paymentAddresses(db.sql, 'polygon', null)).toEqual(['0xaa'])
})
