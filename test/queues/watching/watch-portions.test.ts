import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/error.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { type During, startWatchStand, type WatchStand } from './stand.ts'

/** Nine transfers can be taken at once. */
const limitMs = 500
const perTransferSeconds = 0.05

let stand: WatchStand
let sql: Sql

beforeEach(async () => {
  stand = await startWatchStand()
  sql = connect(stand.database.url, { max: 1, name: 'limited' })
  await sql.unsafe(`set statement_timeout = ${limitMs}`)
})
afterEach(async () => {
  await sql.end({ timeout: 1 })
  await stand.stop()
})

describe('a backlog of more transfers than PostgreSQL can take at once is read in smaller portions', () => {
  test('where writing them takes too long', async () => {
    await tarryWriting()
    await catchUp({ transfers: 16, confirmations: 1 })
  })

  test('where most are in blocks that are yet to be confirmed, which are read all at once', async () => {
    await tarryWriting()
    await catchUp({ transfers: 12, confirmations: 8 })
  })

  test('where finding what they could pay takes too long', async () => {
    const candidates: During['candidates'] = (txHashes) =>
      sql`select pg_sleep(${txHashes.length * perTransferSeconds}::float8)`
    await catchUp({ transfers: 16, confirmations: 1, during: { candidates } })
  })
})

test('a single block of more transfers than PostgreSQL can take at once is read all the same', async () => {
  await tarryWriting()
  const watch = stand.watcher({ sql, patientSql: stand.database.sql, confirmations: 1 })
  await watch.step()
  const { address } = stand.node.wallet(1)
  const nonce = Number(await stand.node.rpc('eth_getTransactionCount', [address, 'latest']))
  const signed = await Promise.all(
    Array.from({ length: 16 }, (_, at) => stand.sign({ from: 1, nonce: nonce + at })),
  )
  await stand.node.rpc('evm_setAutomine', [false])
  await stand.node.batch(signed.map((one) => ({ method: 'eth_sendRawTransaction', params: [one] })))
  await stand.node.mine(1)
  await stand.node.rpc('evm_setAutomine', [true])
  await expect(watch.step()).rejects.toMatchObject({ reason: 'unavailable' })
  await watch.step()
  expect((await stand.standing()).transfers).toBe(16)
})

async function tarryWriting(): Promise<void> {
  await stand.database.sql.unsafe(`
    create function tarry() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${perTransferSeconds}); return new; end $$;
    create trigger tarry before insert on transfers for each row execute function tarry()`)
}

/** Puts transfers on chain, each in a block of its own, and reads on until all are on record. */
async function catchUp({
  transfers,
  ...options
}: {
  transfers: number
  confirmations: number
  during?: During
}): Promise<void> {
  const watch = stand.watcher({ sql, ...options })
  await watch.step()
  for (let n = 0; n < transfers; n++) await stand.mined(await stand.sign({ from: 1 }))
  let refused = 0
  for (let steps = 0; (await stand.standing()).transfers !== transfers; steps++) {
    expect(steps).toBeLessThan(60)
    await watch.step().catch((error) => {
      if (!(error instanceof DomainError) || error.reason !== 'unavailable') throw error
      refused++
    })
  }
  expect(refused).toBeGreaterThan(0)
}
