import { afterEach, describe, expect, test } from 'bun:test'
import { createMandates, type Mandates, type Proposal } from '../../src/actors/mandates.ts'
import { createOnce } from '../../src/actors/once.ts'
import type { Mandate, Signer } from '../../src/domain/mandates/mandate.ts'
import { connect, type Sql } from '../../src/storage/postgres/db.ts'
import { keyId, secret, signatureOf } from '../support/mandate.ts'
import { tally } from '../support/outcomes.ts'
import { watchedSql } from '../support/watched-sql.ts'
import { useWorld } from '../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
const pools: Sql[] = []

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
})

const newId = () => Bun.randomUUIDv7()
const anActor = () => ({ accountId: newId(), keyId })

/** One process with its own connections, cache and clock. */
function process({ aheadMs = 0, onLoad = (_id: string) => {} } = {}): Mandates {
  const sql = connect(db.url, { max: 4, name: 'test mandates' })
  pools.push(sql)
  const watched = watchedSql(sql, {
    before({ text, values: [ids] }) {
      if (text.includes('from mandates where id = any')) onLoad(`${ids}`.slice(2, -2))
    },
  })
  return createMandates({
    tracing: null,
    sql: watched,
    lanes: [sql, sql],
    list: (_, read) => read(sql),
    once: createOnce(sql),
    now: () => new Date(Date.now() + aheadMs),
    newId,
    signingSecrets: async () => [secret],
    jobs: { wake() {}, add: async () => true },
    live: { touched() {} },
  })
}

async function aMandate(
  { propose, sign }: Mandates,
  actor: ReturnType<typeof anActor>,
  { lifeMs = 3_600_000, signedBy = [] as readonly Signer[], terms = '{"amount":5}' } = {},
): Promise<Mandate> {
  const proposal: Proposal = {
    proposer: 'agent_alpha',
    counterparty: 'agent_beta',
    scope: 'work',
    terms,
    context: null,
    expiresAt: new Date(Date.now() + lifeMs).toISOString(),
  }
  const made = await propose(actor, proposal, null)
  if (made.kind !== 'proposed') throw new Error('replayed')
  const signature = signatureOf(made.mandate.canonical)
  for (const signer of signedBy) await sign(actor, made.mandate.id, { signer, signature })
  return made.mandate
}

const both = ['proposer', 'counterparty'] as const

async function trailOf({ show }: Mandates, { id }: Mandate): Promise<readonly string[]> {
  return (await show(null, id)).transitions.map(({ to }) => to)
}

describe('of 100 at once in two processes', () => {
  test('one signature counts, and all others are the same one', async () => {
    const [one, two, actor] = [process(), process(), anActor()]
    const mandate = await aMandate(one, actor)
    const signing = { signer: 'proposer', signature: signatureOf(mandate.canonical) } as const
    const asked = Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? one : two).sign(actor, mandate.id, signing),
    )
    expect(await tally(asked)).toEqual({ done: 100 })
    expect(await trailOf(one, mandate)).toEqual(['proposed', 'signed_by_proposer'])
  })

  test('one completes or disputes, and all others are refused', async () => {
    const [one, two, actor] = [process(), process(), anActor()]
    const mandate = await aMandate(one, actor, { signedBy: both })
    const by = { triggeredBy: 'system', reason: 'late' }
    const asked = Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? one : two)[n % 4 < 2 ? 'complete' : 'dispute'](actor, mandate.id, by),
    )
    expect(await tally(asked)).toEqual({ done: 1, invalid_transition: 99 })
    const { state, version } = (await two.show(null, mandate.id)).mandate
    expect([`${state} ${version}`]).toEqual([expect.stringMatching(/^(completed 5|disputed 4)$/)])
  })

  test('each of many mandates is signed by both in its order', async () => {
    const [one, two, actor] = [process(), process(), anActor()]
    const mandates = await Promise.all(Array.from({ length: 50 }, () => aMandate(one, actor)))
    const asked = mandates.map(async ({ id, canonical }, n) => {
      const signature = signatureOf(canonical)
      await (n % 2 ? one : two).sign(actor, id, { signer: 'proposer', signature })
      await (n % 2 ? two : one).sign(actor, id, { signer: 'counterparty', signature })
    })
    expect(await tally(asked)).toEqual({ done: 50 })
    const receipts = await db.sql`select count(*)::integer as n from receipts
      join mandates on receipt_id = receipts.id where mandates.account_id = ${actor.accountId}`
    expect(receipts[0]?.n).toBe(50)
  })
})

describe('at the moment a mandate expires', () => {
  const rounds = Array.from({ length: 8 }, (_, n) => n + 1)

  test.each(rounds)('nothing but that is stamped at it or after (round %d)', async () => {
    const [one, two] = [process(), process({ aheadMs: 3 })]
    const { actor, mandates } = await signedInTime(one)
    const edgeMs = Math.max(...mandates.map(({ expiresAt }) => Date.parse(expiresAt)))
    await Bun.sleep(edgeMs - Date.now() - 8)
    const asked = Array.from({ length: 200 }, async (_, n) => {
      const { id, canonical } = mandates[n % 40] as Mandate
      const process = n % 3 ? one : two
      await Bun.sleep(n % 17)
      if (n % 5 === 0) return process.expire(actor.accountId, id)
      const signature = signatureOf(canonical)
      if (n % 2) return process.complete(actor, id, { triggeredBy: 'system' })
      return process.sign(actor, id, { signer: 'counterparty', signature })
    })
    expect(Object.keys(await tally(asked)).sort()).toEqual(expect.arrayContaining(['done']))
    const late = await db.sql`
      select to_state from mandate_transitions join mandates on mandates.id = mandate_id
      where account_id = ${actor.accountId} and mandate_transitions.created_at >= expires_at and to_state <> 'expired'`
    expect([...late]).toEqual([])
    for (const mandate of mandates) {
      const { transitions, mandate: shown } = await one.show(null, mandate.id)
      const trail = transitions.map(({ to }) => to)
      expect(trail).toHaveLength(shown.version)
      expect(trail.filter((to) => to === 'expired').length).toBeLessThan(2)
      expect(['completed', 'expired']).toContain(shown.state)
      expect(trail.at(-1)).toBe(shown.state)
      const froms = transitions.map(({ from }) => from)
      expect(froms).toEqual([null, ...trail.slice(0, -1)])
    }
  })

  /**
   * Forty mandates that expire soon. The lifetime is doubled until this machine can make and sign
   * them before they expire.
   */
  async function signedInTime(one: Process, lifeMs = 300): Promise<Signed> {
    const actor = anActor()
    const made = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        aMandate(one, actor, { lifeMs, signedBy: n % 2 ? both : ['proposer'] }),
      ),
    )
    const mandates = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const isSoonOver = Date.parse(mandates[0]?.expiresAt ?? '') < Date.now() + 50
    const isTooSlow = mandates.length < made.length || isSoonOver
    if (isTooSlow && lifeMs > 10_000) throw new Error('no mandate can be signed in time')
    return isTooSlow ? signedInTime(one, 2 * lifeMs) : { actor, mandates }
  }

  type Process = ReturnType<typeof process>
  type Signed = {
    readonly actor: ReturnType<typeof anActor>
    readonly mandates: readonly Mandate[]
  }

  test('a process behind by its clock never moves what another has expired', async () => {
    const [slow, fast, actor] = [process({ aheadMs: -5_000 }), process(), anActor()]
    const mandate = await aMandate(slow, actor, { signedBy: both })
    await db.sql`update mandates set expires_at = clock_timestamp() where id = ${mandate.id}`
    await fast.expire(actor.accountId, mandate.id)
    const asked = [slow.complete(actor, mandate.id, { triggeredBy: 'system' })]
    expect(await tally(asked)).toEqual({ invalid_transition: 1 })
  })
})

describe('a mandate expires by the clock of PostgreSQL alone', () => {
  const bySystem = { triggeredBy: 'system' }

  test('a process ahead by its own shows it as it is, and moves it', async () => {
    const [right, fast, actor] = [process(), process({ aheadMs: 3_600_001 }), anActor()]
    const mandate = await aMandate(right, actor, { signedBy: both })
    await fast.expire(actor.accountId, mandate.id)
    expect((await fast.show(null, mandate.id)).mandate.state).toBe('signed_by_both')
    expect((await fast.complete(actor, mandate.id, bySystem)).state).toBe('completed')
    expect(await trailOf(right, mandate)).toEqual([
      ...['proposed', 'signed_by_proposer', 'signed_by_both'],
      ...['in_progress', 'completed'],
    ])
    const anchors = await db.sql`
      select label from anchors where subject_id = ${mandate.id} order by sequence`
    expect(anchors.map(({ label }) => label)).toEqual([
      ...['signed_by_proposer', 'signed_by_both', 'in_progress', 'completed'],
    ])
  })

  test.each(['has it in memory', 'has never seen it'])(
    'a process behind that %s neither signs nor completes it once it is over',
    async (which) => {
      const [right, slow, actor] = [process(), process({ aheadMs: -60_000 }), anActor()]
      const maker = which === 'has it in memory' ? slow : right
      const signed = await aMandate(maker, actor, { signedBy: both })
      const proposed = await aMandate(maker, actor, { signedBy: ['proposer'] })
      await db.sql`update mandates set expires_at = clock_timestamp() where account_id = ${actor.accountId}`
      const signature = signatureOf(proposed.canonical)
      const asked = [
        slow.complete(actor, signed.id, bySystem),
        slow.sign(actor, proposed.id, { signer: 'counterparty', signature }),
      ]
      expect(await tally(asked)).toEqual({ invalid_transition: 2 })
    },
  )

  test('none is made that is over, nor refused that is not, whatever the clock of its process', async () => {
    const [fast, slow, actor] = [
      process({ aheadMs: 3_600_001 }),
      process({ aheadMs: -60_000 }),
      anActor(),
    ]
    const mandate = await aMandate(fast, actor, { lifeMs: 3_600_000 })
    expect((await slow.show(null, mandate.id)).mandate.state).toBe('proposed')
    await expect(aMandate(slow, actor, { lifeMs: -1 })).rejects.toMatchObject({
      reason: 'invalid_field',
      details: [{ path: 'expiry', message: 'must lie in the future' }],
    })
    const rows = await db.sql`select id from mandates where account_id = ${actor.accountId}`
    expect(rows.map(({ id }) => id)).toEqual([mandate.id])
  })

  test('a process behind shows at once, and ends, what is over', async () => {
    const [slow, actor] = [process({ aheadMs: -60_000 }), anActor()]
    const [shown, swept] = [await aMandate(slow, actor), await aMandate(slow, actor)]
    await db.sql`update mandates set expires_at = clock_timestamp() where account_id = ${actor.accountId}`
    expect((await slow.show(null, shown.id)).mandate.state).toBe('expired')
    await slow.expire(actor.accountId, swept.id)
    const [row] = await db.sql`select state from mandates where id = ${swept.id}`
    expect(row?.state).toBe('expired')
  })
})

describe('a mandate', () => {
  test('of another account does not exist', async () => {
    const [one, actor] = [process(), anActor()]
    const mandate = await aMandate(one, actor, { signedBy: both })
    const asked = [
      one.complete(anActor(), mandate.id, { triggeredBy: 'system' }),
      one.show(newId(), mandate.id),
    ]
    expect(await tally(asked)).toEqual({ mandate_not_found: 2 })
  })

  test('stays in memory only if it is small', async () => {
    const loads: string[] = []
    const [one, actor] = [process({ onLoad: (id) => loads.push(id) }), anActor()]
    const small = await aMandate(one, actor, { signedBy: both })
    const terms = JSON.stringify({ work: 'x'.repeat(10_000) })
    const large = await aMandate(one, actor, { signedBy: both, terms })
    expect(loads).toEqual([small.id, large.id, large.id])
  })

  test('waits for its anchors until the signal aborts', async () => {
    const [one, actor] = [process(), anActor()]
    const mandate = await aMandate(one, actor, { signedBy: ['proposer'] })
    const startMs = performance.now()
    const shown = await one.showAnchored(actor.accountId, mandate.id, AbortSignal.timeout(300))
    expect(shown.transitions.at(-1)?.anchor?.status).toBe('pending')
    expect(performance.now() - startMs).toBeWithin(290, 10_000)
  })

  test('answers as soon as the signal aborts, however long it has waited', async () => {
    const [one, actor] = [process(), anActor()]
    const mandate = await aMandate(one, actor, { signedBy: ['proposer'] })
    const patience = new AbortController()
    const waited = one.showAnchored(actor.accountId, mandate.id, patience.signal)
    // By now it looks but once a second, and has looked just before.
    await Bun.sleep(1_650)
    patience.abort()
    const first = await Promise.race([waited, Bun.sleep(700)])
    expect(first?.mandate.id).toBe(mandate.id)
  })
})
