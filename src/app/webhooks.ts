import { randomBytes } from 'node:crypto'
import { type SealKey, seal } from '../domain/secret.ts'
import { newWebhookSecret } from '../domain/signature.ts'
import type { Egress } from '../http/egress.ts'
import type { Webhooks } from '../http/v1/webhooks.ts'
import type { Sql } from '../storage/db.ts'
import * as WebhookRows from '../storage/webhooks.ts'
import { newId, now } from './clock.ts'

/** What the families' webhook routes call: every URL is checked before it is kept, every secret sealed. */
export function webhookService(sql: Sql, sealKey: SealKey, egress: Egress): Webhooks {
  return {
    async create(accountId, { url, events, secret }) {
      await egress.check(url)
      const generatedSecret = secret === null ? newWebhookSecret(randomBytes(32)) : null
      const secretSealed = seal(secret ?? generatedSecret ?? '', sealKey, randomBytes(12))
      const webhook = await WebhookRows.createWebhook(
        sql,
        accountId,
        { id: newId(), url, events, secretSealed },
        now(),
      )
      return { webhook, generatedSecret }
    },
    list: (accountId) => WebhookRows.listWebhooks(sql, accountId),
    get: (accountId, id) => WebhookRows.findWebhook(sql, accountId, id),
    async update(accountId, id, change) {
      if (change.url !== null) await egress.check(change.url)
      return WebhookRows.updateWebhook(sql, accountId, id, change, now())
    },
    remove: (accountId, id) => WebhookRows.deleteWebhook(sql, accountId, id, now()),
  }
}
