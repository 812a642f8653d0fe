import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { migrate } from '../../../src/storage/postgres/migrate.ts'
import { emptyDatabase } from '../../support/postgres.ts'

/** Rows left by an earlier version, and the result of the migration that corrects them. */

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

  await migrateBefore('0023')

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

test('0024: what a transaction was used for counts for those who sent what was used, and for nobody else', async () => {
  await migrateBefore('0024')
  const paid = await settled({ dueBase: 11, receipts: [{ day: 3 }] })
  let position = 20
  const of = (txHash: string, from: string, invoiceId: string | null, chain = 'base') =>
    transfer({ chain, txHash, from, position: position++, usdcBase: 1, invoiceId })
  await of('0x02', '0xa1', paid)
  await of('0x02', '0xa1', paid)
  await of('0x02', '0xa2', paid)
  await of('0x02', '0xb1', null)
  await of('0x03', '0xa1', null)
  await of('5o1', 'Ana', paid, 'solana')
  await of('5o1', 'Bo', paid, 'solana')
  await sale('base:authorization:0xa1:0x07', '0x03', '0xa1')
  await sale('base:authorization:0xa1:0x08', '0x03', '0xa1')
  await sale('base:authorization:0xa2:0x09', '0x03', '0xa2')
  await sale('base:transfer:0x04', '0x04', '0xa1')
  const invoices = ['base 0x02', 'solana 5o1'].map((use) => `${use} invoice`)
  const sales = ['base 0x03', 'base 0x04', 'base 0x05'].map((use) => `${use} x402`)
  const uses = [...invoices, ...sales].map((use) => {
    const [chain, tx_hash, kind] = use.split(' ')
    // Written by a process of a version without the column's meaning.
    return { chain, tx_hash, kind, is_transfer: false }
  })
  await sql`insert into transaction_uses ${sql(uses)}`

  await migrateBefore('0025')

  const rows = await sql<{ use: string }[]>`
    select concat_ws(' ', tx_hash, from_address, kind, case when is_transfer then 'transfer' end) as use
    from transaction_uses`
  expect(rows.map(({ use }) => use).toSorted()).toEqual([
    '0x02 0xa1 invoice',
    '0x02 0xa2 invoice',
    '0x03 0xa1 x402',
    '0x03 0xa2 x402',
    '0x04 0xa1 x402 transfer',
    '5o1  invoice',
  ])
})

test('0030: a chain begins with its oldest invoice, one that has only an address with the migration', async () => {
  await migrateBefore('0030')
  await sql`update invoices set chain = 'skale', created_at = '2026-04-01' where due_base = 7`
  await sql`insert into payment_addresses (chain, address) values ('base', '0xaa'), ('solana', 'Wa')`
  const before = new Date()
  await migrateBefore('0031')
  const rows = await sql<{ chain: string; first_address_at: Date }[]>`
    select * from chain_beginnings order by chain`
  const at = Object.fromEntries(rows.map((row) => [row.chain, row.first_address_at]))
  expect(at).toEqual({
    base: new Date('2026-05-01T12:00:00Z'),
    skale: new Date('2026-04-01T00:00:00Z'),
    solana: expect.any(Date),
  })
  expect(at.solana?.getTime()).toBeGreaterThanOrEqual(before.getTime())
})

test('0031: what was bought leaves the totals and days it had been counted on, and stands apart', async () => {
  await migrateBefore('0031')
  const [owner, day] = [Bun.randomUUIDv7(), '2026-06-02']
  const tax = { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: '19' }
  const invoice = async (dueBase: number, terms: object, isBought: boolean) => {
    const id = Bun.randomUUIDv7()
    const counted = { currency: 'USDC', scale: 6, subtotalUnits: `${dueBase}`, tax }
    await sql`insert into invoices ${sql({
      ...{ id, account_id: owner, year: 2026, number: dueBase, version: 2, state: 'paid' },
      ...{ payable: false, chain: 'base', pay_to: '0xaa', due_base: dueBase },
      ...{ created_at: new Date(day), updated_at: new Date(day), progress: '{}' },
      terms: JSON.stringify({ ...counted, totalUnits: '', ...terms }),
    })}`
    if (isBought)
      await sql`insert into purchases ${sql({
        ...{ invoice_id: id, account_id: owner, resource: '', chain: 'base', pay_to: '0xaa' },
        ...{ usdc_base: dueBase, state: 'paid', created_at: new Date(), updated_at: new Date() },
      })}`
    // Counted by the triggers as they were.
    await sql`update invoices set state = 'settled' where id = ${id}`
  }
  await invoice(100, { metadata: JSON.stringify({ a: 1, isPurchase: true }) }, false)
  await invoice(70, { isPurchase: true }, true)
  await invoice(7, { isPurchase: true, tax: { ...tax, countryCode: null, taxUnits: '0' } }, true)

  await migrateBefore('0032')
  // And by those that replace them.
  await invoice(1_000, { metadata: JSON.stringify({ a: 1, isPurchase: true }) }, false)
  await invoice(500, { isPurchase: true }, true)

  expect([
    ...(await sql`select is_purchase, country_code, invoice_count, subtotal_units, tax_units
      from tax_totals where account_id = ${owner} and invoice_count > 0 order by is_purchase, country_code`),
  ]).toEqual([
    {
      is_purchase: false,
      country_code: 'DE',
      invoice_count: 2n,
      subtotal_units: '1100',
      tax_units: '38',
    },
    {
      is_purchase: true,
      country_code: 'DE',
      invoice_count: 2n,
      subtotal_units: '570',
      tax_units: '38',
    },
    {
      is_purchase: true,
      country_code: null,
      invoice_count: 1n,
      subtotal_units: '7',
      tax_units: '0',
    },
  ])
  expect([
    ...(await sql`select day::text, invoice_count, usdc_base from settled_days where account_id = ${owner}`),
  ]).toEqual([{ day, invoice_count: 2n, usdc_base: '1100' }])
})

test('0039: what has been paid for in part, or in full and is not settled, is known by itself; what is bought is not', async () => {
  await migrateBefore('0039')
  const owner = Bun.randomUUIDv7()
  const invoice = async (number: number, state: string, payable: boolean, terms = '{}') => {
    const id = Bun.randomUUIDv7()
    await sql`insert into invoices ${sql({
      ...{ id, account_id: owner, year: 2026, number, version: 2, state, payable, chain: 'base' },
      ...{ pay_to: '0xaa', due_base: 5, created_at: new Date(), updated_at: new Date() },
      ...{ terms, progress: '{}' },
    })}`
    return id
  }
  const [partPaid, paid] = [await invoice(1, 'sent', false), await invoice(2, 'paid', false)]
  await invoice(3, 'sent', true)
  await invoice(4, 'failed', true)
  await invoice(5, 'completed', false)
  await invoice(6, 'sent', false, '{"a":1,"isPurchase":true}')

  await migrate(sql)

  expect([
    ...(await sql`select invoice_id from credited_invoices where account_id = ${owner} order by invoice_id`),
  ]).toEqual([{ invoice_id: partPaid }, { invoice_id: paid }])
})

/** Runs all migrations before this one. */
async function migrateBefore(number: string): Promise<void> {
  const ours = fileURLToPath(new URL('../../../src/storage/migrations/', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
  try {
    for (const name of readdirSync(ours).filter((file) => file < number))
      copyFileSync(join(ours, name), join(folder, name))
    await migrate(sql, { folder: pathToFileURL(`${folder}/`) })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A settled invoice with receipts dated in May. */
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
  chain?: string
  txHash?: string
  from?: string
}): Promise<void> {
  const { position, usdcBase, invoiceId, state = 'seen' } = of
  const { chain = 'base', txHash = '0x01', from = '0xee' } = of
  const at = new Date()
  await sql`insert into transfers ${sql({
    ...{
      chain,
      tx_hash: txHash,
      position,
      block_number: 1,
      block_hash: '0xb1',
      block_time: at,
    },
    ...{ from_address: from, to_address: '0xaa', usdc_base: usdcBase, state, created_at: at },
    ...{ invoice_id: invoiceId, matched_by: invoiceId && 'operator' },
    held_as: invoiceId ? null : 'unmatched',
  })}`
}

async function sale(key: string, txHash: string, payer: string): Promise<void> {
  await sql`insert into x402_payments ${sql({
    ...{ key, network: 'base', payer, proof_hash: '', request_hash: '', state: 'settled' },
    ...{ tx_hash: txHash, created_at: new Date() },
  })}`
}
