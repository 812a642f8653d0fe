import { beforeEach, describe, expect, test } from 'bun:test'
import { requireKeys } from '../../src/config/secrets-key.ts'
import { keyFrom, markOf, open } from '../../src/domain/accounts/secret.ts'
import { referencesUnder } from '../../src/domain/invoices/reference.ts'
import { openAccount, renewSigningSecret } from '../../src/operator/accounts.ts'
import { resealAll, rotateKey } from '../../src/operator/rotate-key.ts'
import { moveKeyMark } from '../../src/storage/postgres/secrets-key.ts'
import { createdInvoice, requester, testSecretsKey } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { watchedSql } from '../support/watched-sql.ts'
import { useWorld } from '../support/world.ts'

const [newer, newest] = ['cd'.repeat(32), 'ef'.repeat(32)]
const wallet = '0x00000000000000000000000000000000000000aa'

const world = useWorld({
  chains: ['base'],
  funded: [1],
  receiver: true,
  service: 'none',
  anew: true,
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1' },
})
const { sql, node, receiver } = world

/** The configuration in the middle of a rotation. */
function between(previousSecretsKey: string | null, secretsKey: string) {
  return { secretsKey, previousSecretsKey }
}

function start(previous: string | null, key: string, role = 'all', onForeignKey?: () => void) {
  const env = { SECRETS_KEY: key, ...(previous && { SECRETS_KEY_PREVIOUS: previous }), ROLE: role }
  return world.startHere(env, onForeignKey)
}

async function unreadableBy(key: string): Promise<number> {
  return (await resealAll(sql, keyFrom(key), null)).unreadable
}

async function anAccount() {
  return openAccount(sql, keyFrom(testSecretsKey), { name: 'Ada', plan: 'enterprise' })
}

describe('the key of the secrets', () => {
  beforeEach(() => requireKeys(sql, between(null, testSecretsKey)))

  test('beside running processes the key moves, nothing stays sealed under the old one, and money finds its invoice by old and new references', async () => {
    const { v1Key, signingSecret, account } = await anAccount()
    const old = await start(null, testSecretsKey)
    await expect(rotateKey(sql, between(testSecretsKey, newer))).rejects.toThrow(
      'a process of the service runs without the new key',
    )
    await old.drain()
    const both = await start(testSecretsKey, newer)
    const request = requester(() => current)
    let current = both.url ?? ''
    const send: typeof request = (method, path, body, headers) =>
      request(method, path, body, { 'x-api-key': v1Key, ...headers })
    const hook = { url: receiver.url, events: ['invoice.settled'], secret: 's'.repeat(32) }
    expect((await send('POST', '/v1/webhooks', hook)).status).toBe(201)
    const twins = [await createdInvoice({ send }), await createdInvoice({ send })]
    const audited = await sql`select 1 from audit_log`

    expect(await rotateKey(sql, between(testSecretsKey, newer), 0)).toEqual({
      moved: true,
      resealed: 2,
      unreadable: 0,
    })
    expect(await sql`select 1 from audit_log`).toHaveLength(audited.length)
    // Of the process with both keys.
    expect((await send('POST', '/v1/webhooks', hook)).status).toBe(201)
    expect(await unreadableBy(newer)).toBe(0)
    const [row] =
      await sql`select signing_secret_sealed as sealed from accounts where id = ${account.id}`
    expect(open(row?.sealed, keyFrom(newer))).toBe(signingSecret)
    await expect(start(null, testSecretsKey)).rejects.toThrow('SECRETS_KEY does not open')

    const after = await start(null, newer)
    await both.drain()
    current = after.url ?? ''
    const newTwin = await createdInvoice({ send })
    for (const { id, total, paymentDetails } of [twins[1], newTwin]) {
      const usdcBase = BigInt(Math.round(Number(total) * 1e6))
      const { reference } = paymentDetails
      await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
      await node.mine(2)
      const statusOf = async () => (await send('GET', `/v1/invoices/${id}`)).json.data.status
      await eventually(async () => (await statusOf()) === 'SETTLED')
    }
    expect((await send('GET', `/v1/invoices/${twins[0].id}`)).json.data.status).toBe('PENDING')
    await eventually(() => receiver.received.length === 4)
  })

  test('a process with only the old key stops itself, and stores no secret, once the database has moved', async () => {
    const { v1Key } = await anAccount()
    const stopped = Promise.withResolvers<void>()
    const old = await start(null, testSecretsKey, 'all', stopped.resolve)
    const to = { mark: markOf(keyFrom(newer)), retiredSealed: null }
    expect(await moveKeyMark(sql, markOf(keyFrom(testSecretsKey)), to)).toBe(true)
    const body = { url: receiver.url, events: ['invoice.settled'], secret: 's'.repeat(32) }
    const headers = { 'x-api-key': v1Key }
    const refusal = await requester(() => old.url ?? '')('POST', '/v1/webhooks', body, headers)
    expect(refusal.status).toBe(503)
    await stopped.promise
  })

  test('after a crash in the middle both keys read all, and the same command finishes', async () => {
    const accounts = [await anAccount(), await anAccount(), await anAccount()]
    await renewSigningSecret(sql, keyFrom(testSecretsKey), accounts[0]?.account.id ?? '')
    let steps = 0
    const crashing = watchedSql(sql, {
      before({ text }) {
        if (text.includes('quittance.resealing') && ++steps === 2) throw new Error('killed')
      },
    })
    const keys = between(testSecretsKey, newer)
    await expect(rotateKey(crashing, keys, 0)).rejects.toThrow('killed')
    expect(await unreadableBy(newer)).toBe(1)
    await expect(requireKeys(sql, keys)).resolves.toBeDefined()
    expect(await rotateKey(sql, keys, 0)).toEqual({ moved: false, resealed: 1, unreadable: 0 })
    expect(await unreadableBy(newer)).toBe(0)
  })

  test('of two runs at once those to one key both succeed, of two keys one', async () => {
    for (let n = 0; n < 3; n++) await anAccount()
    const keys = between(testSecretsKey, newer)
    const done = await Promise.all([rotateKey(sql, keys, 0), rotateKey(sql, keys, 0)])
    expect(done.filter(({ moved }) => moved)).toHaveLength(1)
    expect(done[0].resealed + done[1].resealed).toBe(3)
    const other = '12'.repeat(32)
    const runs = await Promise.allSettled(
      [newest, other].map((key) => rotateKey(sql, between(newer, key), 0)),
    )
    expect(runs.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const won = runs[0]?.status === 'fulfilled' ? newest : other
    expect(await unreadableBy(won)).toBe(0)
  })

  test('references and ids of bought invoices are read after any number of rotations, and made anew', async () => {
    const id = Bun.randomUUIDv7()
    const made: string[] = []
    const ids: Uint8Array[] = []
    for (const [previous, key] of [
      [null, testSecretsKey],
      [testSecretsKey, newer],
      [newer, newest],
    ] as const) {
      if (previous) await rotateKey(sql, between(previous, key), 0)
      const keys = await requireKeys(sql, between(null, key))
      made.push(referencesUnder(keys).of(id))
      ids.push(keys.derived[0].boughtIds)
    }
    expect(new Set(made).size).toBe(3)
    const keys = await requireKeys(sql, between(null, newest))
    expect(made.map(referencesUnder(keys).read)).toEqual([id, id, id])
    expect(keys.derived.map(({ boughtIds }) => Buffer.from(boughtIds))).toEqual(
      ids.map((one) => Buffer.from(one)).toReversed(),
    )
    // A backup from before, with the newest key beside its own.
    const to = { mark: markOf(keyFrom(testSecretsKey)), retiredSealed: null }
    await moveKeyMark(sql, markOf(keyFrom(newest)), to)
    const restored = await requireKeys(sql, between(testSecretsKey, newest))
    expect(referencesUnder(restored).of(id)).toBe(made[0] ?? '')
    expect(referencesUnder(restored).read(made[2] ?? '')).toBe(id)
  })

  test('without the previous key, or with two wrong ones, nothing is rotated', async () => {
    await expect(rotateKey(sql, between(null, newer))).rejects.toThrow('SECRETS_KEY_PREVIOUS')
    await expect(rotateKey(sql, between(newest, newer))).rejects.toThrow('does not open')
  })
})
