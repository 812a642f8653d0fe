import { randomBytes } from 'node:crypto'
import type { By } from '../../domain/accounts/account.ts'
import type { Keys } from '../../domain/accounts/secret.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import { newWebhookSecret } from '../../domain/webhooks/signature.ts'
import { toJson, type WebhookChange } from '../../domain/webhooks/webhook.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { ListReader } from '../../storage/postgres/pools.ts'
import * as Rows from '../../storage/webhooks/webhooks.ts'
import type { Jobs } from '../jobs.ts'
import type { Once } from '../once.ts'
import { sealSecret } from '../secrets.ts'
import { createDeliveries } from './deliveries.ts'
import { createRotation } from './rotation.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

type Wanted = {
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly secret: string | null
}

/** The webhooks of accounts. URLs are checked before they are stored, and secrets are sealed. */
export function createWebhooks(parts: {
  readonly sql: Sql
  readonly list: ListReader
  readonly keys: Keys
  /** Rejects a URL that deliveries must not be sent to. */
  readonly egress: { check(url: string): Promise<unknown> }
  readonly once: Once
  readonly jobs: Jobs
  readonly now: () => Date
  readonly newId: () => string
}) {
  const { sql, keys, egress, once, now, newId } = parts
  const deliveries = createDeliveries(parts)

  /** Creates a webhook; the answer holds the secret only when it was generated here. */
  function create(accountId: string, wanted: Wanted, idempotency: Idempotency | null, by: By) {
    return once.unlessUsed(accountId, idempotency, () => insert(accountId, wanted, idempotency, by))
  }

  async function insert(
    accountId: string,
    { url, events, active, secret }: Wanted,
    idempotency: Idempotency | null,
    by: By,
  ) {
    await egress.check(url)
    const generatedSecret = secret === null ? newWebhookSecret(randomBytes(32)) : null
    const secretSealed = await sealSecret(sql, keys, secret ?? generatedSecret ?? '')
    const at = now()
    const times = { createdAt: at, updatedAt: at }
    const draft = { id: newId(), url, events, active, disabledReason: null, ...times }
    const webhook = await Rows.createWebhook(sql, accountId, { ...draft, secretSealed }, at, {
      by,
      // A secret must not be stored as plain text, so a replay lacks it; rotating gives a new one.
      idempotency: idempotency && { ...idempotency, made: toJson(draft) },
    })
    return { kind: 'created' as const, webhook, generatedSecret }
  }

  function list(accountId: string) {
    return Rows.listWebhooks(sql, accountId)
  }

  function get(accountId: string, id: string) {
    return Rows.findWebhook(sql, accountId, id)
  }

  async function update(accountId: string, id: string, change: WebhookChange, by: By) {
    if (change.url !== null) await egress.check(change.url)
    const webhook = await Rows.updateWebhook(sql, accountId, id, change, now(), by)
    if (change.active === true) deliveries.deliver(id)
    return webhook
  }

  function remove(accountId: string, id: string, by: By): Promise<void> {
    return Rows.deleteWebhook(sql, accountId, id, now(), by)
  }

  const { log, read: delivery, redeliver, test } = deliveries
  const { rotateSecret } = createRotation(parts)
  const own = { create, list, get, update, remove, rotateSecret }
  return { ...own, deliveries: log, delivery, redeliver, test }
}
