/** The servers `create-invoice.ts` compares with: `bun bench/rivals.ts plain|transaction [database]` prints its port. */
import { Elysia } from 'elysia'
import * as Invoice from '../src/domain/invoice.ts'
import { toJson } from '../src/domain/invoice-view.ts'
import { CreateInvoice } from '../src/http/v1/shapes.ts'
import { connect } from '../src/storage/db.ts'
import { terms } from '../test/support/invoice.ts'

const [kind, databaseUrl = ''] = process.argv.slice(2)
const accountId = '0190a000-0000-7000-8000-000000000001'
const example = toJson(invoice(1), 'v1')

const app = new Elysia({ normalize: false })
app.post('/v1/invoices', kind === 'plain' ? () => answer(example) : transaction(), {
  body: CreateInvoice,
})
app.listen({ port: 0, hostname: '127.0.0.1' })
console.log(app.server?.port)

function answer(json: string): Response {
  return new Response(`{"success":true,"data":${json}}`, {
    status: 201,
    headers: { 'content-type': 'application/json' },
  })
}

/** The same rows, the usual way: a transaction with a statement for each, on a pool. */
function transaction() {
  const sql = connect(databaseUrl, { max: 10, name: 'rival' })
  return async () => {
    const made = invoice(0)
    const { id, createdAt } = made
    const number = await sql.begin(async (tx) => {
      const [counter] = await tx<{ last_number: number }[]>`
        insert into invoice_numbers as counter (account_id, year, last_number) values (${accountId}, ${made.year}, 1)
        on conflict (account_id, year) do update set last_number = counter.last_number + 1 returning last_number`
      const last = counter?.last_number ?? 0
      const json = toJson({ ...made, number: last }, 'v1')
      await tx`insert into invoices (id, account_id, year, number, version, state, payable, chain, pay_to, due_base,
          created_at, updated_at, terms, progress)
        values (${id}, ${accountId}, ${made.year}, ${last}, 1, 'draft', true, 'base', ${made.terms.payTo}, 12500000,
          ${createdAt}, ${createdAt}, ${json}, '{}')`
      await tx`insert into events (subject_id, sequence, account_id, type, data, created_at, pending)
        values (${id}, 1, ${accountId}, 'invoice.created', ${json}, ${createdAt}, true)`
      return last
    })
    return answer(toJson({ ...made, number }, 'v1'))
  }
}

function invoice(number: number): Invoice.Invoice {
  const now = new Date()
  const command = { kind: 'create', id: Bun.randomUUIDv7(), accountId, terms: terms() } as const
  const made = Invoice.evolve(undefined, Invoice.decide(undefined, command, now), now)
  return { ...(made as Invoice.Invoice), number }
}
