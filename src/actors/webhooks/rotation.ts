import { randomBytes } from 'node:crypto'
import type { By } from '../../domain/accounts/account.ts'
import { type Keys, openWith } from '../../domain/accounts/secret.ts'
import { DomainError } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import { newWebhookSecret } from '../../domain/webhooks/signature.ts'
import { toJson } from '../../domain/webhooks/webhook.ts'
import { serverTime } from '../../storage/postgres/database-server.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import * as Rows from '../../storage/webhooks/webhooks.ts'
import type { Once } from '../once.ts'
import { sealSecret } from '../secrets.ts'

/** How long deliveries carry a signature of the previous secret as well. */
const overlapMs = 86_400_000

type Parts = { readonly sql: Sql; readonly keys: Keys; readonly once: Once }

export function createRotation({ sql, keys, once }: Parts) {
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

  async function rotate(accountId: string, id: string, idempotency: Idempotency | null, by: By) {
    const secret = newWebhookSecret(randomBytes(32))
    // By PostgreSQL's clock, which also ends the overlap.
    const at = await serverTime(sql)
    const overlapUntil = new Date(at.getTime() + overlapMs)
    const secrets = { secret, previousSecretUntil: overlapUntil }
    const before = await Rows.findWebhook(sql, accountId, id)
    const answer = toJson({ ...before, updatedAt: at }, secrets)
    const change = { secretSealed: await sealSecret(sql, keys, secret), overlapUntil }
    const answerSealed = await sealSecret(sql, keys, answer)
    const webhook = await Rows.rotateSecret(sql, accountId, id, change, at, {
      by,
      // A caller who lost this answer could not rotate again for a day, so a replay repeats the
      // secret, which is stored sealed.
      idempotency: idempotency && {
        ...idempotency,
        made: Buffer.from(answerSealed).toString('base64'),
      },
    })
    return { kind: 'rotated' as const, webhook, ...secrets }
  }

  /** Errors: `idempotency_key_reused` if it was sealed under another `SECRETS_KEY`. */
  function answerIn(sealedText: string): string {
    try {
      return openWith(Buffer.from(sealedText, 'base64'), keys.opening)
    } catch (error) {
      throw new DomainError(
        'idempotency_key_reused',
        'The answer to this Idempotency-Key cannot be read any more; send another key',
        { operatorText: String(error) },
      )
    }
  }

  return { rotateSecret }
}
