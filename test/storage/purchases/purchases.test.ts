import { beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { type Command, decide } from '../../../src/domain/purchases/decide.ts'
import { evolve } from '../../../src/domain/purchases/evolve.ts'
import type { Purchase } from '../../../src/domain/purchases/purchase.ts'
import { type Change, commit, commitAll, load } from '../../../src/storage/purchases/purchases.ts'
import { newQuote, purchasesAsStored, quoted } from '../../support/purchases.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

beforeEach(async () => {
  await database.sql`truncate purchases`
})

const forward = (key: string): Command => {
  const identified = { id: `an id of ${key}`, header: 'a header' }
  const signer = { payer: '0xa', nonce: null, message: 'm', identified }
  const traces = { ...signer, validBefore: new Date('2030-01-01') }
  return { kind: 'forward', payment: { key, ...traces }, txHash: '0x07', agentId: 'agent-7' }
}

function changed(before: Purchase, command: Command): Change {
  const now = new Date()
  return { before, after: evolve(before, decide(before, command, now), now) }
}

async function stored(id: string): Promise<Purchase> {
  return (await load(database.sql, id)) as Purchase
}

const withoutTimes = ({ readAt: _, ...purchase }: Purchase) => purchase

describe('a change of a purchase', () => {
  test('is read as it was written, new or not, with the times of PostgreSQL', async () => {
    const { sql } = database
    setSystemTime(new Date('2036-01-01'))
    const first = await commit(sql, { before: null, after: newQuote(Bun.randomUUIDv7(), 'mnd_1') })
    const quote = first as Purchase
    const reservation = { id: Bun.randomUUIDv7(), amountMinor: 3n, currency: 'USD' }
    const forwarding = (await commit(sql, changed(quote, forward('key')))) as Purchase
    const reserved = await commit(sql, changed(forwarding, { kind: 'reserve', reservation }))
    setSystemTime()
    expect(reserved).toMatchObject({ version: 3, state: 'forwarding', agentId: 'agent-7' })
    expect(reserved).toMatchObject({ reservation, txHash: '0x07', mandateId: 'mnd_1' })
    expect(reserved?.payment).toMatchObject({ key: 'key', payer: '0xa', message: 'm' })
    expect(withoutTimes(await stored(quote.invoiceId))).toEqual(withoutTimes(reserved as Purchase))
    const times = [reserved?.createdAt, reserved?.payment?.forwardedAt, reserved?.readAt]
    for (const time of times) expect(time?.getFullYear()).toBeLessThan(2036)
  })

  test('keeps the times that it does not set', async () => {
    const { sql } = database
    const [id = ''] = await purchasesAsStored(sql, { state: 'forwarding', ageMs: 3_600_000 })
    const before = await stored(id)
    const after = await commit(
      sql,
      changed(before, { kind: 'suspend', txHash: null, isAnswered: true }),
    )
    expect(after?.payment).toEqual(before.payment)
    expect(after?.createdAt).toEqual(before.createdAt)
  })

  test('is refused where the purchase has changed since it was read', async () => {
    const { sql } = database
    const [id = ''] = await purchasesAsStored(sql, { state: 'forwarding' })
    const before = await stored(id)
    const changes = [changed(before, { kind: 'refuse' }), changed(before, { kind: 'expire' })]
    const outcomes = await Promise.all(changes.map((change) => commit(sql, change)))
    expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1)
    expect(await commit(sql, { before: null, after: newQuote(id) })).toBeNull()
  })

  test('is refused where another purchase of the account has the payment, or the transfer', async () => {
    const { sql } = database
    const [one, other] = [await stored(await quoted(sql)), await stored(await quoted(sql))]
    expect(await commit(sql, changed(one, forward('key')))).not.toBeNull()
    expect(await commit(sql, changed(other, forward('key')))).toBeNull()
    const see = { kind: 'see', txHash: '0x07', position: 3 } as const
    const forwarding = (await commit(sql, changed(other, forward('other')))) as Purchase
    expect(await commit(sql, changed(await stored(one.invoiceId), see))).not.toBeNull()
    expect(await commit(sql, changed(forwarding, see))).toBeNull()
  })

  test.each(['paid', 'settled', 'completed', 'failed'])(
    'that needs an unpaid invoice is refused where that is %s, new or not',
    async (state) => {
      const { sql } = database
      const [id, draft] = [await quoted(sql), await quoted(sql)]
      await sql`update invoices set state = ${state}`
      const before = await stored(id)
      const change = { ...changed(before, forward('key')), ifUnpaid: true }
      expect(await commit(sql, change)).toBeNull()
      await sql`delete from purchases where invoice_id = ${draft}`
      expect(await commit(sql, { before: null, after: newQuote(draft), ifUnpaid: true })).toBeNull()
      expect(withoutTimes(await stored(id))).toEqual(withoutTimes(before))
      expect(await load(sql, draft)).toBeNull()
    },
  )

  test('is one of many in a batch, of which those that are refused do not hold up the others', async () => {
    const { sql } = database
    const ids = await purchasesAsStored(sql, { count: 3, state: 'forwarding' })
    const all = await Promise.all(ids.map(stored))
    await commit(sql, changed(all[1] as Purchase, { kind: 'refuse' }))
    const changes = all.map((purchase) => changed(purchase, { kind: 'expire' }))
    const written = await commitAll(sql, changes)
    const expired = written.map(({ invoiceId }) => invoiceId).toSorted()
    expect(expired).toEqual([ids[0] as string, ids[2] as string].toSorted())
  })
})
