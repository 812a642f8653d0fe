import type { By } from '../../domain/accounts/account.ts'
import { DomainError, noSuch } from '../../domain/error.ts'
import type { Webhook, WebhookChange } from '../../domain/webhooks/webhook.ts'
import { attributed } from '../accounts/audit.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { type IdempotencyRecord, keyRow } from '../postgres/idempotency.ts'
import { cancel } from './deliveries.ts'

const mostPerAccount = 50

type Asked = { readonly by?: By | null; readonly idempotency?: IdempotencyRecord | null }

/** Errors: `limit_reached` at 50 webhooks. */
export async function createWebhook(
  sql: Sql,
  accountId: string,
  webhook: {
    id: string
    url: string
    events: readonly string[]
    active?: boolean
    secretSealed: Uint8Array
  },
  now: Date,
  { by = null, idempotency = null }: Asked = {},
): Promise<Webhook> {
  const { id, url, events, active = true, secretSealed } = webhook
  for (;;) {
    const [row] = await statement<(Webhook & { wasFull: boolean })[]>(sql)`
    with free as (
      select slot from generate_series(1, ${mostPerAccount}) as slot
      except select slot from webhooks where account_id = ${accountId} and deleted_at is null
      order by slot limit 1
    ),
    created as (
      insert into webhooks (id, account_id, slot, url, events, active, secret_sealed, created_at, updated_at)
      select ${id}, ${accountId}, slot, ${url}, ${array(events)}::text[], ${active}, ${secretSealed}, ${now}, ${now} from free where ${attributed(sql, [{ accountId, subjectId: id, by }])}
      on conflict do nothing returning ${columns(sql)}
    )${keyRow(sql, accountId, idempotency)}
    select created.*, not exists (select from free) as "wasFull" from (values (1)) as one left join created on true`
    if (row?.wasFull)
      throw new DomainError('limit_reached', `An account has at most ${mostPerAccount} webhooks`)
    // Another request took the slot. There may be another, so try again.
    if (row?.id) return withoutFlag(row)
  }
}

export async function listWebhooks(sql: Sql, accountId: string): Promise<readonly Webhook[]> {
  return statement<Webhook[]>(sql)`select ${columns(sql)} from webhooks
    where account_id = ${accountId} and deleted_at is null order by created_at desc, id desc`
}

/** Errors: `not_found`. */
export async function findWebhook(sql: Sql, accountId: string, id: string): Promise<Webhook> {
  const [found] = await statement<Webhook[]>(sql)`select ${columns(sql)} from webhooks
    where id = ${id} and account_id = ${accountId} and deleted_at is null`
  if (!found) throw noSuch('webhook')
  return found
}

/** Activation or a new URL resets the record of failures. Errors: `not_found`. */
export async function updateWebhook(
  sql: Sql,
  accountId: string,
  id: string,
  change: WebhookChange,
  now: Date,
  by: By | null = null,
): Promise<Webhook> {
  const [updated] = await statement<Webhook[]>(sql)`
    update webhooks set url = coalesce(${change.url}, url),
      events = coalesce(${change.events && array(change.events)}::text[], events),
      active = coalesce(${change.active}, active), updated_at = ${now},
      -- The clock of events.
      paused_at = case when active and ${change.active}::boolean is false then now() else paused_at end,
      disabled_reason = case when ${change.active}::boolean is true then null else disabled_reason end,
      failing_since = case when ${change.active}::boolean is true or ${change.url}::text is not null then null else failing_since end
    where id = ${id} and account_id = ${accountId} and deleted_at is null and ${attributed(sql, [{ accountId, subjectId: id, by }])}
    returning ${columns(sql)}`
  if (!updated) throw noSuch('webhook')
  return updated
}

/** Deletes a webhook and cancels its pending deliveries. Errors: `not_found`. */
export async function deleteWebhook(
  sql: Sql,
  accountId: string,
  id: string,
  now: Date,
  by: By | null = null,
): Promise<void> {
  const [row] = await statement<{ removed: number }[]>(sql)`
    with removed as (
      update webhooks set deleted_at = ${now}, active = false, updated_at = ${now}
      where id = ${id} and account_id = ${accountId} and deleted_at is null
        and ${attributed(sql, [{ accountId, subjectId: id, by }])} returning id
    ),
    emptied as (
      delete from delivery_batches using removed where webhook_id = removed.id and due_at is not null returning origin, places
    ),
    cancelled as (${cancel(sql, 'emptied')})
    select count(*)::integer as removed from removed`
  if (!row?.removed) throw noSuch('webhook')
}

/**
 * Signs with the new secret and the previous one until `overlapUntil`. Earlier ones stop at once:
 * replacing a stolen secret cannot wait. Errors: `not_found`.
 */
export async function rotateSecret(
  sql: Sql,
  accountId: string,
  id: string,
  rotation: { secretSealed: Uint8Array; overlapUntil: Date },
  now: Date,
  { by = null, idempotency = null }: Asked = {},
): Promise<Webhook> {
  const [row] = await statement<Webhook[]>(sql)`
    with rotated as (
      update webhooks set previous_secret_sealed = secret_sealed, previous_secret_until = ${rotation.overlapUntil},
        secret_sealed = ${rotation.secretSealed}, updated_at = ${now}
      where id = ${id} and account_id = ${accountId} and deleted_at is null and ${attributed(sql, [{ accountId, subjectId: id, by }])}
      returning ${columns(sql)}
    ),
    created as (select id from rotated)${keyRow(sql, accountId, idempotency)}
    select * from rotated`
  if (!row) throw noSuch('webhook')
  return row
}

function columns(sql: Sql) {
  return sql`id, url, events, active, disabled_reason as "disabledReason", created_at as "createdAt", updated_at as "updatedAt"`
}

function withoutFlag({ wasFull: _, ...webhook }: Webhook & { wasFull: boolean }): Webhook {
  return webhook
}

/** How many active webhooks fail at present, and how many were disabled by the service. */
export async function troubledWebhooks(sql: Sql, limitMs: number) {
  const [counts] = await statement<[{ failing: number; disabled: number }]>(sql, limitMs)`
    select (count(*) filter (where active and failing_since is not null))::integer as failing,
      (count(*) filter (where not active and disabled_reason is not null))::integer as disabled
    from webhooks where deleted_at is null`
  return counts
}
