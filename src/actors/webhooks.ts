import { randomBytes } from 'node:crypto'
import type { By } from '../domain/accounts/account.ts'
import { open, type SealKey, seal } from '../domain/accounts/secret.ts'
import { DomainError } from '../domain/error.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import type { Form } from '../domain/invoices/terms.ts'
import { freshMs, type LogQuery, sampleDelivery } from '../domain/webhooks/delivery.ts'
import { sampleData } from '../domain/webhooks/event-samples.ts'
import type { Type } from '../domain/webhooks/events.ts'
import { newWebhookSecret } from '../domain/webhooks/signature.ts'
import { toJson, type WebhookChange } from '../domain/webhooks/webhook.ts'
import { serverTime } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { ListReader } from '../storage/postgres/pools.ts'
import * as Log from '../storage/webhooks/delivery-log.ts'
import * as WebhookRows from '../storage/webhooks/webhooks.ts'
import type { Jobs } from './jobs.ts'
import type { Once } from './once.ts'

/** How long deliveries carry a signature of the previous secret as well. */
const overlapMs = 86_400_000
/** From the decision to start an attempt until it reaches the receiver. */
const flightMs = 50

export type Webhooks = ReturnType<typeof createWebhooks>

type Wanted = {
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly secret: string | null
}

/**
 * What the webhook routes of all families call. Every URL is checked before it is stored, and every
 * secret is sealed.
 */
export function createWebhooks(parts: {
  readonly sql: Sql
  readonly list: ListReader
  readonly sealKey: SealKey
  /** Rejects a URL that deliveries must not be sent to. */
  readonly egress: { check(url: string): Promise<unknown> }
  readonly once: Once
  readonly jobs: Jobs
  readonly now: () => Date
  readonly newId: () => string
}) {
  const { sql, sealKey, egress, once, jobs, now, newId } = parts
  const sealed = (secret: string) => seal(secret, sealKey, randomBytes(12))
  const deliver = (webhookId: string) => void jobs.add('deliver', { webhookIds: [webhookId] })

  async function insert(
    accountId: string,
    wanted: Wanted,
    idempotency: Idempotency | null,
    by: By,
  ) {
    const { url, events, active, secret } = wanted
    await egress.check(url)
    const generatedSecret = secret === null ? newWebhookSecret(randomBytes(32)) : null
    const secretSealed = sealed(secret ?? generatedSecret ?? '')
    const id = newId()
    const at = now()
    const draft = {
      id,
      url,
      events,
      active,
      disabledReason: null,
      createdAt: at,
      updatedAt: at,
    }
    const webhook = await WebhookRows.createWebhook(
      sql,
      accountId,
      { id, url, events, active, secretSealed },
      at,
      {
        by,
        // Plain-text secrets must not be stored: a replayed answer lacks it; rotating gives a new
        // one.
        idempotency: idempotency && { ...idempotency, made: toJson(draft) },
      },
    )
    return { kind: 'created' as const, webhook, generatedSecret }
  }

  async function rotate(accountId: string, id: string, idempotency: Idempotency | null, by: By) {
    const secret = newWebhookSecret(randomBytes(32))
    // By the clock that tells when it is over.
    const at = await serverTime(sql)
    const overlapUntil = new Date(at.getTime() + overlapMs)
    const secrets = { secret, previousSecretUntil: overlapUntil }
    const before = await WebhookRows.findWebhook(sql, accountId, id)
    const answer = toJson({ ...before, updatedAt: at }, secrets)
    const webhook = await WebhookRows.rotateSecret(
      sql,
      accountId,
      id,
      { secretSealed: sealed(secret), overlapUntil },
      at,
      {
        by,
        // A caller who lost this answer could not rotate again for a day, so a replayed answer
        // repeats the secret and is stored sealed.
        idempotency: idempotency && { ...idempotency, made: asText(sealed(answer)) },
      },
    )
    return { kind: 'rotated' as const, webhook, ...secrets }
  }

  /** Errors: `idempotency_key_reused` if it was sealed under another `SECRETS_KEY`. */
  function answerIn(sealedText: string): string {
    try {
      return open(Buffer.from(sealedText, 'base64'), sealKey)
    } catch (error) {
      throw new DomainError(
        'idempotency_key_reused',
        'The answer to this Idempotency-Key cannot be read any more; send another key',
        { operatorText: String(error) },
      )
    }
  }

  async function tryOut(
    accountId: string,
    id: string,
    type: Type,
    form: Form,
    idempotency: Idempotency | null,
  ) {
    const position = await Log.nextPosition(sql)
    const subjectId = newId()
    const delivery = sampleDelivery(position, id, { subjectId, type })
    await Log.addTestDelivery(
      sql,
      accountId,
      id,
      { ...position, subjectId, type, data: sampleData(type, subjectId, form, position.at) },
      idempotency && { ...idempotency, made: JSON.stringify(delivery) },
    )
    deliver(id)
    return { kind: 'made' as const, delivery }
  }

  /** Creates a webhook; the answer holds the secret only when it was generated here. */
  function create(accountId: string, wanted: Wanted, idempotency: Idempotency | null, by: By) {
    return once.unlessUsed(accountId, idempotency, () => insert(accountId, wanted, idempotency, by))
  }

  async function update(accountId: string, id: string, change: WebhookChange, by: By) {
    if (change.url !== null) await egress.check(change.url)
    const webhook = await WebhookRows.updateWebhook(sql, accountId, id, change, now(), by)
    if (change.active === true) deliver(id)
    return webhook
  }

  async function remove(accountId: string, id: string, by: By): Promise<void> {
    const stillMs = await WebhookRows.deleteWebhook(sql, accountId, id, now(), by)
    // A worker that saw the webhook active just before may still start an attempt; answer once
    // none can any more.
    await Bun.sleep(Math.max(freshMs, stillMs) + flightMs)
  }

  /** Replaces the secret; until `previousSecretUntil` deliveries are signed with both. */
  async function rotateSecret(
    accountId: string,
    id: string,
    idempotency: Idempotency | null,
    by: By,
  ) {
    const outcome = await once.run(accountId, idempotency, () =>
      rotate(accountId, id, idempotency, by),
    )
    return outcome.kind === 'rotated' ? outcome : { ...outcome, made: answerIn(outcome.made) }
  }

  async function deliveries(accountId: string, id: string, page: LogQuery) {
    await WebhookRows.findWebhook(sql, accountId, id)
    return parts.list(accountId, (listSql) => Log.listDeliveries(listSql, id, page))
  }

  async function redeliver(accountId: string, deliveryId: string) {
    const delivery = await Log.redeliver(sql, accountId, deliveryId)
    deliver(delivery.webhookId)
    return delivery
  }

  /** Delivers a sample event of this type, with its invoice written as in `form`. */
  function test(
    accountId: string,
    id: string,
    type: Type,
    form: Form,
    idempotency: Idempotency | null,
  ) {
    return once.run(accountId, idempotency, () => tryOut(accountId, id, type, form, idempotency))
  }

  function list(accountId: string) {
    return WebhookRows.listWebhooks(sql, accountId)
  }

  function get(accountId: string, id: string) {
    return WebhookRows.findWebhook(sql, accountId, id)
  }

  return { create, list, get, update, remove, rotateSecret, deliveries, redeliver, test }
}

function asText(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('base64')
}
