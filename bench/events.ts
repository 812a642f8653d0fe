import { randomBytes } from 'node:crypto'
import { keyFrom, seal } from '../src/domain/accounts/secret.ts'
import type { Type } from '../src/domain/webhooks/events.ts'
import { newWebhookSecret } from '../src/domain/webhooks/signature.ts'
import type { NewAccount } from '../src/operator/accounts.ts'
import type { Sql } from '../src/storage/postgres/db.ts'
import { createWebhook } from '../src/storage/webhooks/webhooks.ts'
import { testSecretsKey } from '../test/support/app.ts'

/** Events per commit, as when invoices are created under load. */
const perCommit = 100

/** Gives each account a webhook; answers the accounts' ids. */
export async function subscribe(
  sql: Sql,
  accounts: readonly NewAccount[],
  options: { url: string; events: readonly Type[] },
): Promise<readonly string[]> {
  const ids = accounts.map(({ account }) => account.id)
  await Promise.all(ids.map((id) => aWebhook(sql, id, options)))
  return ids
}

export async function aWebhook(
  sql: Sql,
  accountId: string,
  { url, events }: { url: string; events: readonly Type[] },
): Promise<string> {
  const id = Bun.randomUUIDv7()
  const secret = newWebhookSecret(randomBytes(32))
  const secretSealed = seal(secret, keyFrom(testSecretsKey), randomBytes(12))
  const webhook = { id, url, events, secretSealed }
  await createWebhook(sql, accountId, webhook, new Date())
  return id
}

/** Stores events in the trail and the outbox as the service would, in commits of at most 100. */
export async function commit(
  sql: Sql,
  accountIds: readonly string[],
  count: number,
  told: string,
): Promise<void> {
  for (let from = 0; from < count; from += perCommit) {
    const events = Array.from({ length: Math.min(perCommit, count - from) }, (_, n) => ({
      subject_id: Bun.randomUUIDv7(),
      account_id: accountIds[(from + n) % accountIds.length],
    }))
    await sql`
      with trail as (
        insert into events (subject_id, sequence, account_id, types, data, created_at)
        select subject_id, 2, account_id, 'invoice.settled', ${told}, now()
        from json_to_recordset(${JSON.stringify(events)}::text::json) as (subject_id uuid, account_id uuid) returning *
      )
      insert into outbox (subject_ids, sequences, account_ids, types)
      select array_agg(subject_id), array_agg(sequence), array_agg(account_id), array_agg(types) from trail`
  }
}

/** Resolves once the receiver got `count` deliveries and all attempts are on record. */
export async function recorded(sql: Sql, receiverUrl: string, count: number): Promise<void> {
  for (let arrived = 0; arrived < count; ) {
    await Bun.sleep(20)
    arrived += ((await (await fetch(receiverUrl)).json()) as { count: number }).count
  }
  // Looking for an unfinished batch, which has a `due_at`, costs almost nothing.
  for (;;) {
    const left = await sql`select from delivery_batches where due_at is not null limit 1`
    if (left.length === 0) return
    await Bun.sleep(20)
  }
}
