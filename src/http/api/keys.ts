import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Principal, presets } from '../../domain/account.ts'
import type { By } from '../../domain/audit.ts'
import { DomainError, invalidField } from '../../domain/error.ts'
import { parseInstant } from '../../domain/instant.ts'
import type { ListedKey, WantedGrant } from '../../domain/key-grant.ts'
import { byOf, type Operations } from '../operation.ts'
import { line } from '../validation.ts'
import * as Docs from './key-answers.ts'

/** What the routes need of storage; `app/` hands it over. */
export type Keys = {
  /** The raw key is in this answer and nowhere else. Errors: `forbidden`, `invalid_request`, `limit_reached`. */
  issue(
    issuer: Principal,
    wanted: WantedGrant & { readonly name: string },
    by: By,
  ): Promise<ListedKey & { readonly key: string }>
  /** All of the account, newest first. */
  list(accountId: string): Promise<readonly ListedKey[]>
  /** Errors: `not_found`, `forbidden`. */
  revoke(issuer: Principal, keyId: string, by: By): Promise<void>
}

const CreateKey = Type.Object({
  name: Type.Optional(line(256)),
  scopes: Type.Optional(
    Type.Array(Type.Union(presets.full.map((scope) => Type.Literal(scope))), {
      minItems: 1,
      maxItems: presets.full.length,
      description: `must be a list of at least one of ${presets.full.join(', ')}`,
    }),
  ),
  expiresAt: Type.Optional(
    Type.String({ description: 'must be an ISO 8601 date, or a time with its zone' }),
  ),
})

const route = '/api/keys'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** An account's own API keys: contract §2. */
export function keyRoutes(operation: Operations, keys: Keys) {
  return new Elysia()
    .post(
      route,
      operation(
        { scope: 'dashboard:read', body: CreateKey, docs: Docs.createKey },
        async (call) => {
          const wanted = wantedOf(call.body.value as typeof CreateKey.static)
          const issued = await keys.issue(call.principal, wanted, byOf(call))
          return {
            status: 201,
            body: JSON.stringify(issued),
            headers: { 'cache-control': 'no-store' },
          }
        },
      ),
      { parse: 'none' },
    )
    .get(
      route,
      operation({ scope: 'dashboard:read', docs: Docs.listKeys }, async ({ principal }) => {
        const data = await keys.list(principal.accountId)
        return { status: 200, body: JSON.stringify({ data, total: data.length }) }
      }),
    )
    .delete(
      `${route}/:id`,
      operation({ scope: 'dashboard:read', docs: Docs.revokeKey }, async (call) => {
        const { id = '' } = call.params
        if (!uuid.test(id)) throw new DomainError('not_found', 'There is no such key')
        await keys.revoke(call.principal, id, byOf(call))
        return { status: 204, body: null }
      }),
    )
}

function wantedOf(body: typeof CreateKey.static): Parameters<Keys['issue']>[1] {
  const { name = 'API key', scopes = null, expiresAt } = body
  return { name, scopes, expiresAt: expiresAt === undefined ? null : instantOf(expiresAt) }
}

function instantOf(text: string): Date {
  const instant = parseInstant(text)
  if (!instant) throw invalidField('expiresAt', 'must be an ISO 8601 date, or a time with its zone')
  return instant
}
