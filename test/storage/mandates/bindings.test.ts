import { describe, expect, test } from 'bun:test'
import {
  type Binding,
  bind,
  findBindable,
  mandatesOf,
  type Release,
  release,
} from '../../../src/storage/mandates/bindings.ts'
import { storedMandate } from '../../support/stored-mandate.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

const accountId = Bun.randomUUIDv7()

const aMandate = (state = 'signed_by_both', lifeMs = 60_000) =>
  storedMandate(db.sql, accountId, { state, lifeMs, terms: '{"amount":1}' })

const payment = (mandateId: string, amountMicro: bigint, over: Partial<Binding> = {}): Binding => ({
  accountId,
  mandateId,
  amountMicro,
  capMicro: 100n,
  ...over,
})

/** Binds as a statement that inserts invoices does: all payments or none. */
async function bindAll(bindings: readonly Binding[]): Promise<boolean> {
  const { sql } = db
  try {
    await sql`with bound as (${bind(sql, bindings)})
      select 1 / ((select count(*) from bound) = ${mandatesOf(bindings)})::integer`
    return true
  } catch {
    return false
  }
}

const boundTo = async (id: string) => (await findBindable(db.sql, accountId, id))?.boundMicro

describe('payments', () => {
  test('add up to the cap, across batches and within one', async () => {
    const [one, two] = [await aMandate(), await aMandate()]
    expect(await bindAll([payment(one, 60n), payment(two, 100n), payment(one, 30n)])).toBe(true)
    expect(await bindAll([payment(one, 10n)])).toBe(true)
    expect([await boundTo(one), await boundTo(two)]).toEqual([100n, 100n])
  })

  test('that are too much together are bound not at all', async () => {
    const [one, two] = [await aMandate(), await aMandate()]
    expect(await bindAll([payment(one, 60n), payment(one, 41n), payment(two, 1n)])).toBe(false)
    expect([await boundTo(one), await boundTo(two)]).toEqual([0n, 0n])
  })

  test('without a cap may be of any size', async () => {
    const id = await aMandate()
    const amount = 10n ** 24n
    expect(await bindAll([payment(id, amount, { capMicro: null })])).toBe(true)
    expect(await boundTo(id)).toBe(amount)
  })

  test.each(['proposed', 'signed_by_proposer', 'completed', 'disputed', 'expired'])(
    'are not bound to a mandate that is %s',
    async (state) => {
      expect(await bindAll([payment(await aMandate(state), 1n)])).toBe(false)
    },
  )

  test('are not bound to one that is over, another account’s, or none', async () => {
    const id = await aMandate()
    const stranger = { accountId: Bun.randomUUIDv7() }
    expect(await bindAll([payment(await aMandate('signed_by_both', -1), 1n)])).toBe(false)
    expect(await bindAll([payment(id, 1n), payment(id, 1n, stranger)])).toBe(false)
    expect(await bindAll([payment('mnd_nope', 1n)])).toBe(false)
    expect(await findBindable(db.sql, stranger.accountId, id)).toBeUndefined()
    expect(await boundTo(id)).toBe(0n)
  })

  test('that come at once never pass the cap, and fill it', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => aMandate()))
    const asked = Array.from({ length: 60 }, (_, n) =>
      bindAll([...ids].sort(() => (n % 2 ? 1 : -1)).map((id) => payment(id, 7n))),
    )
    const bound = (await Promise.all(asked)).filter(Boolean)
    expect(bound).toHaveLength(14)
    expect(await Promise.all(ids.map(boundTo))).toEqual(Array(5).fill(98n))
  })
})

describe('what is given back', () => {
  test('is added up for each mandate, of the invoices that were changed', async () => {
    const [one, two] = [await aMandate(), await aMandate()]
    await bindAll([payment(one, 90n), payment(two, 50n)])
    const releases = [one, one, two, two].map((mandateId, n) => ({
      invoiceId: Bun.randomUUIDv7(),
      mandateId,
      amountMicro: BigInt(n + 1),
    }))
    await giveBack(releases, releases.slice(0, 3))
    expect([await boundTo(one), await boundTo(two)]).toEqual([87n, 47n])
  })

  test('locks mandates in the order of their ids, so that two processes never wait for each other', async () => {
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push(await aMandate())
    const [first, ...others] = ids.toSorted() as [string, ...string[]]
    const releases = others.concat(first).map((mandateId) => ({
      invoiceId: Bun.randomUUIDv7(),
      mandateId,
      amountMicro: 0n,
    }))
    let releasing: Promise<void> | undefined
    await db.sql.begin(async (sql) => {
      await sql`select from mandates where id = ${first} for update`
      releasing = giveBack(releases)
      await eventually(async () => (await waiting()) > 0)
      const free =
        await db.sql`select id from mandates where id = any(${others}) for update skip locked`
      expect(free.length).toBe(others.length)
    })
    await releasing
  })
})

/** Releases as a statement that voids invoices does; `changed`: those it could write. */
async function giveBack(releases: readonly Release[], changed = releases): Promise<void> {
  const { sql } = db
  const ids = changed.map(({ invoiceId }) => invoiceId)
  await sql`with updated as (select unnest(${ids}::uuid[]) as id), released as (${release(sql, releases)}) select`
}

/** How many statements wait for a row of another one. */
async function waiting(): Promise<number> {
  const [row] = await db.sql<[{ count: number }]>`
    select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row.count
}
