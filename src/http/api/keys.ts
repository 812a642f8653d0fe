import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Keys, WantedKey } from '../../actors/keys/keys.ts'
import { presetNames, presets, scopesNamed } from '../../domain/accounts/scopes.ts'
import { invalidField, noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import { parseDeadline } from '../../domain/instant.ts'
import { byOf, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { withoutQuery } from '../request/request-url.ts'
import { choice, line, optional } from '../request/validation.ts'
import * as Docs from './key-docs.ts'

const grantable = [...presets.full, ...presetNames]

const CreateKey = Type.Object({
  name: optional(line(256), 'What the key is for, as lists show it.'),
  scopes: optional(
    Type.Array(choice(grantable), {
      minItems: 1,
      maxItems: grantable.length,
      description: `must be a list of at least one of ${grantable.join(', ')}`,
    }),
    'What the key may do, each a permission or the name of a preset.',
  ),
  preset: optional(
    choice(presetNames),
    'A set of permissions that the key has in addition to `scopes`.',
  ),
  expiresAt: optional(
    Type.String({ description: 'must be an ISO 8601 date, or a time with its zone' }),
    'When the key expires: an ISO 8601 date, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset.',
  ),
})

const route = '/api/keys'

/** An account's own API keys (contract §2). */
export function keyRoutes(operation: Operations, keys: Keys) {
  return new Elysia()
    .post(
      route,
      operation(
        // Without permissions and without an end, a key has all of its issuer's, for good.
        { scope: 'dashboard:read', body: CreateKey, refusesNull: true, docs: Docs.createKey },
        async (call) => {
          const wanted = wantedOf(call.body.value as typeof CreateKey.static)
          const idempotency = idempotencyOf(call, route)
          const issued = await keys.issue(call.principal, wanted, byOf(call), idempotency)
          if (issued.kind === 'replayed') return replayed(issued.made)
          return {
            status: 201,
            body: JSON.stringify(issued.key),
            headers: { 'cache-control': 'no-store' },
          }
        },
      ),
      unparsed,
    )
    .get(
      route,
      operation(
        { scope: 'dashboard:read', docs: Docs.listKeys },
        async ({ principal, request }) => {
          withoutQuery(request.url)
          const data = await keys.list(principal.accountId)
          return { status: 200, body: JSON.stringify({ data, total: data.length }) }
        },
      ),
    )
    .delete(
      `${route}/:id`,
      operation({ scope: 'dashboard:read', docs: Docs.revokeKey }, async (call) => {
        const { id = '' } = call.params
        if (!isUuid(id)) throw noSuch('key')
        await keys.revoke(call.principal, id, byOf(call))
        return { status: 204, body: null }
      }),
    )
}

function wantedOf(body: typeof CreateKey.static): WantedKey {
  const { name = 'API key', scopes = [], preset, expiresAt } = body
  const names = preset === undefined ? scopes : [...scopes, preset]
  return {
    name,
    scopes: names.length === 0 ? null : scopesNamed(names),
    expiresAt: expiresAt === undefined ? null : instantOf(expiresAt),
  }
}

function instantOf(text: string): Date {
  const instant = parseDeadline(text)
  if (!instant) throw invalidField('expiresAt', 'must be an ISO 8601 date, or a time with its zone')
  return instant
}
