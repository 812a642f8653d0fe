import type { Sql } from '../src/storage/postgres/db.ts'

const inserted = ['transfers', 'transfer_uses', 'events', 'receipts', 'anchors']

/**
 * The lower bound for settling: the CPU seconds PostgreSQL needs to write the rows of all
 * settlements again, from copies by bare statements.
 */
export async function bareRowsSeconds(sql: Sql, cpuSeconds: () => number): Promise<number> {
  let seconds = 0
  for (const table of inserted) {
    await sql.unsafe(`create unlogged table bare_${table} as select * from ${table}`)
    await sql.unsafe(`truncate ${table} cascade`)
    seconds += await spent(`insert into ${table} select * from bare_${table}`)
  }
  await sql.unsafe('alter table invoices disable trigger user')
  await sql.unsafe(
    `create unlogged table bare_invoices as select * from invoices where state = 'settled'`,
  )
  await sql.unsafe(
    `update invoices set state = 'draft', owed_base = due_base, settled_at = null where state = 'settled'`,
  )
  seconds += await spent(`
    update invoices set version = bare.version, state = bare.state, owed_base = bare.owed_base, updated_at = bare.updated_at,
      settled_at = bare.settled_at, progress = bare.progress
    from bare_invoices as bare where bare.id = invoices.id`)
  await sql.unsafe('alter table invoices enable trigger user')
  return seconds

  async function spent(statement: string): Promise<number> {
    const before = cpuSeconds()
    await sql.unsafe(statement)
    return cpuSeconds() - before
  }
}
