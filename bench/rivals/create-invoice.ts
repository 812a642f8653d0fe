/**
 * The servers `bench/create-invoice.ts` and `bench/tail.ts` compare with. Each prints its port:
 * `bun bench/rivals/create-invoice.ts unstored|transaction [database]`.
 */

import { Elysia } from 'elysia'
import { dayOf } from '../../src/domain/instant.ts'
import { decide } from '../../src/domain/invoices/decide.ts'
import { evolve } from '../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../src/domain/invoices/invoice.ts'
import { fromRequest } from '../../src/domain/invoices/request.ts'
import { toJson } from '../../src/domain/invoices/view.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'
import { CreateInvoice } from '../../src/http/v1/invoices.ts'
import { encodeTerms } from '../../src/storage/invoices/invoices.ts'
import { connect } from '../../src/storage/postgres/db.ts'

const [kind, databaseUrl = ''] = process.argv.slice(2)
const accountIds = Array.from({ length: 16 }, () => Bun.randomUUIDv7())
let turn = 0
const wallet = '0x00000000000000000000000000000000000000AA'
const nobody = { name: null, email: null, address: null, vat: null }
const fx = { rates: {}, source: '', asOf: '' }

const url = databaseUrl || 'postgres://unused'
const sql = connect(url, { max: 10, name: 'rival' })
const handlers = {
  /** Elysia parses and validates; the answer is the requested invoice, which is not stored. */
  unstored: async (body: typeof CreateInvoice.static) => toJson(invoice(body, 1), 'v1'),
  transaction,
}
const handle = handlers[kind as keyof typeof handlers]

const app = new Elysia({ normalize: false })
app.post(
  '/v1/invoices',
  async ({ body }) =>
    new Response(`{"success":true,"data":${await handle(body)}}`, {
      status: 201,
      headers: { 'content-type': 'application/json' },
    }),
  { body: CreateInvoice },
)
app.listen({ port: 0, hostname: '127.0.0.1' })
console.log(app.server?.port)

/** The same rows in the usual way: a transaction with a statement for each. */
async function transaction(body: typeof CreateInvoice.static): Promise<string> {
  const made = invoice(body, 0)
  const { id, accountId, createdAt, year, terms } = made
  const number = await sql.begin(async (tx) => {
    const [counter] = await tx<{ last_sale: number }[]>`
      insert into invoice_numbers as counter (account_id, year, last_sale, last_purchase) values (${accountId}, ${year}, 1, 0)
      on conflict (account_id, year) do update set last_sale = counter.last_sale + 1 returning last_sale`
    const last = counter?.last_sale ?? 0
    await tx`insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to,
        due_base, created_at, updated_at, terms, progress)
      values (${id}, ${accountId}, ${year}, false, ${last}, ${last}, 1, 'draft', ${terms.dueUsdcBase}, 'base', ${wallet}, ${terms.dueUsdcBase},
        ${createdAt}, ${createdAt}, ${encodeTerms(terms)}, '{}')`
    await tx`insert into outbox (subject_ids, sequences, account_ids, types)
      values (array[${id}::uuid], '{1}', array[${accountId}::uuid], '{invoice.created}')`
    return last
  })
  return toJson({ ...made, number }, 'v1')
}

function invoice(body: typeof CreateInvoice.static, number: number): Invoice.Invoice {
  const now = new Date()
  const accountId = accountIds[turn++ % accountIds.length] as string
  const terms = fromRequest(
    {
      form: 'v1',
      amountSource: String(body.amount),
      currency: body.currency ?? 'USDC',
      chain: 'base',
      country: body.taxCountry ?? null,
      buyer: { ...nobody, name: body.customerName, email: body.customerEmail },
      seller: { ...nobody, wallet: null },
      description: body.serviceDescription ?? null,
      agentId: null,
      mandateId: null,
      payer: null,
      dueAt: null,
      metadata: JSON.stringify(body.metadata ?? null),
    },
    {
      payTo: wallet,
      usdcAddress: wallet,
      reference: `0x${'00'.repeat(32)}`,
    },
    { day: dayOf(now), fx, taxTable: builtIn },
  )
  const command = { kind: 'create', id: Bun.randomUUIDv7(), accountId, terms } as const
  const made = evolve(undefined, decide(undefined, command, now), now)
  return { ...(made as Invoice.Invoice), number }
}
