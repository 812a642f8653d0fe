import { randomBytes } from 'node:crypto'
import { keyFrom, open, seal } from '../../src/domain/accounts/secret.ts'
import type { Type } from '../../src/domain/webhooks/events.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import type { Batch } from '../../src/storage/webhooks/deliveries.ts'
import type { Outcome, Result } from '../../src/storage/webhooks/delivery-results.ts'
import { createWebhook } from '../../src/storage/webhooks/webhooks.ts'

const key = keyFrom(randomBytes(32).toString('hex'))

export function sealSecret(secret: string): Uint8Array {
  return seal(secret, key, randomBytes(12))
}

export function openSecret(sealed: Uint8Array): string {
  return open(sealed, key)
}

/** Without keys. Answers its id. */
export async function anAccount(sql: Sql): Promise<string> {
  const id = Bun.randomUUIDv7()
  await sql`insert into accounts (id, name, plan, requests_per_minute, requests_per_day, signing_secret_sealed)
    values (${id}, 'Acme', 'pro', 600, 50000, ${randomBytes(8)})`
  return id
}

export async function aWebhook(
  sql: Sql,
  accountId: string,
  events: readonly Type[] = ['invoice.created'],
  url = 'http://127.0.0.1:1/hook',
) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const secretSealed = sealSecret(secret)
  const id = Bun.randomUUIDv7()
  const webhook = await createWebhook(sql, accountId, { id, url, events, secretSealed }, new Date())
  return { ...webhook, secret }
}

/** Of a new subject, whose id it answers; one batch each. */
export async function someEvents(
  sql: Sql,
  accountId: string,
  count = 1,
  type: Type = 'invoice.created',
): Promise<string> {
  const subjectId = Bun.randomUUIDv7()
  await sql`
    with trail as (
      insert into events (subject_id, sequence, account_id, types, data, created_at)
      select ${subjectId}, sequence, ${accountId}, ${type}, '{"n":' || sequence || '}', now() + sequence * interval '1 microsecond'
      from generate_series(1, ${count}) as sequence
      returning *
    )
    insert into outbox (subject_ids, sequences, account_ids, types)
    select array[subject_id], array[sequence], array[account_id], array[types] from trail order by sequence`
  return subjectId
}

/** What differs in the outcomes of a batch: in all of them, or in the one at a place. */
export type Given = Partial<Outcome> | ((place: number) => Partial<Outcome>)

/** The result of an attempt at each delivery: by default it failed, and is retried in a minute. */
export function resultOf(batch: Batch, given: Given = {}): Result {
  const outcomes = batch.deliveries.map(({ place, attempt, event }) => {
    const over = typeof given === 'function' ? given(place) : given
    const answer = { statusCode: over.delivered ? 204 : 500, error: null }
    const responseExcerpt = 'a "quoted" \\ text, "statusCode":204'
    const times = { startedAt: '2026-05-01T12:00:00.000Z', durationMs: 13 }
    return {
      ...{ place, event, attempt: { attempt, ...times, ...answer, responseExcerpt } },
      ...{ delivered: false, gone: false, retryDelayMs: 60_000, ...over },
    }
  })
  return { batch, outcomes }
}
