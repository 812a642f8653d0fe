import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { connect, type Sql } from '../../src/storage/db.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { emptyDatabase } from '../support/postgres.ts'

/** Rows as an earlier version has left them, and what they are after the migration that puts them right. */

const [account, another] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]

let database: { url: string; drop(): Promise<void> }
let sql: Sql

beforeAll(async () => {
  database = await emptyDatabase()
  sql = connect(database.url, { max: 1, name: 'migrated rows test' })
  await migrateBefore('0022')
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

test('0022: days of invoices that settled anew are counted again, and what an operator assigned is known by itself', async () => {
  const moved = await settled({ dueBase: 5, receipts: [{ day: 1, isRevoked: true }, { day: 2 }] })
  await settled({ dueBase: 7, receipts: [{ day: 1 }] })
  await sql`insert into settled_days values (${account}, '2026-05-01', 2, 12), (${another}, '2026-05-01', 3, 9)`
  const key = await aKey()
  const claim = { chain: 'base', tx_hash: '0x01', payer: '0xee', created_at: new Date() }
  await sql`insert into claims ${sql([
    { ...claim, invoice_id: moved, made_by: 'operator', key_id: key, signature: null },
    { ...claim, invoice_id: account, made_by: 'claim', key_id: null, signature: '0x5160' },
  ])}`
  await transfer({ position: 1, usdcBase: 2, invoiceId: moved })
  await transfer({ position: 2, usdcBase: 4, invoiceId: null })
  await transfer({ position: 3, usdcBase: 3, invoiceId: moved })
  await transfer({ position: 9, usdcBase: 3, invoiceId: moved, state: 'reverted' })

  await migrate(sql)

  expect([
    ...(await sql`select account_id, day::text, invoice_count, usdc_base from settled_days order by account_id = ${another}, day`),
  ]).toEqual([
    { account_id: account, day: '2026-05-01', invoice_count: 1n, usdc_base: '7' },
    { account_id: account, day: '2026-05-02', invoice_count: 1n, usdc_base: '5' },
    { account_id: another, day: '2026-05-01', invoice_count: 3n, usdc_base: '9' },
  ])
  const byOperator = { invoice_id: moved, made_by: 'operator', key_id: key }
  expect([
    ...(await sql`select invoice_id, made_by, key_id, position, usdc_base from claims order by position`),
  ]).toEqual([
    { ...byOperator, position: 1, usdc_base: 2n },
    { ...byOperator, position: 3, usdc_base: 3n },
    { invoice_id: account, made_by: 'claim', key_id: null, position: null, usdc_base: null },
  ])
})

/** Runs the migrations that came before this one. */
async function migrateBefore(number: string): Promise<void> {
  const ours = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
  try {
    for (const name of readdirSync(ours).filter((file) => file < number))
      copyFileSync(join(ours, name), join(folder, name))
    await migrate(sql, pathToFileURL(`${folder}/`))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** An invoice that is settled, with receipts of days in May. */
async function settled(of: {
  dueBase: number
  receipts: readonly { day: number; isRevoked?: boolean }[]
}): Promise<string> {
  const id = Bun.randomUUIDv7()
  const at = new Date('2026-05-01T12:00:00Z')
  await sql`insert into invoices ${sql({
    ...{ id, account_id: account, year: 2026, number: of.dueBase, version: 5, state: 'settled' },
    ...{ payable: false, chain: 'base', pay_to: '0xaa', due_base: of.dueBase },
    ...{ created_at: at, updated_at: at, terms: '{}', progress: '{}' },
  })}`
  const receipts = of.receipts.map(({ day, isRevoked = false }) => ({
    ...{ id: Bun.randomUUIDv7(), account_id: account, kind: 'settlement', subject_id: id },
    ...{ preimage: '', hash: '', issued_at: new Date(`2026-05-0${day}T23:59:59Z`) },
    revoked_at: isRevoked ? new Date('2026-05-02T00:00:00Z') : null,
  }))
  await sql`insert into receipts ${sql(receipts)}`
  return id
}

async function aKey(): Promise<string> {
  const id = Bun.randomUUIDv7()
  await sql`insert into accounts (id, name, plan, requests_per_minute, requests_per_day, signing_secret_sealed)
    values (${account}, 'Operator', 'pro', 1, 1, '')`
  await sql`insert into api_keys (id, account_id, name, hash, hint, scopes) values (${id}, ${account}, 'Key', '', '', '{}')`
  return id
}

async function transfer(of: {
  position: number
  usdcBase: number
  invoiceId: string | null
  state?: 'seen' | 'reverted'
}): Promise<void> {
  const { position, usdcBase, invoiceId, state = 'seen' } = of
  const at = new Date()
  await sql`insert into transfers ${sql({
    ...{
      chain: 'base',
      tx_hash: '0x01',
      position,
      block_number: 1,
      block_hash: '0xb1',
      block_time: at,
    },
    ...{ from_address: '0xee', to_address: '0xaa', usdc_base: usdcBase, state, created_at: at },
    ...{ invoice_id: invoiceId, matched_by: invoiceId && 'operator' },
    held_as: invoiceId ? null : 'unmatched',
  })}`
}
