import { Type } from '@sinclair/typebox'
import { scopes } from '../../domain/accounts/scopes.ts'
import { instant, like, nullable, oneOf, uuid } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'

const Key = Type.Object(
  {
    id: uuid,
    name: like('Billing agent'),
    hint: Type.String({ description: 'How the key starts and ends.', examples: ['inv_…1f3a'] }),
    scopes: Type.Array(oneOf(scopes)),
    expiresAt: nullable(instant),
    createdAt: instant,
    revokedAt: nullable(instant),
    lastUsedAt: nullable(instant),
  },
  { $id: 'Key' },
)

/** What `/openapi.json` says about keys. */
export const createKey: Docs = {
  summary: 'Create an API key',
  description:
    '`key` is shown in this answer only, not when it is replayed for the same `Idempotency-Key`. The key has the `scopes` of the list and those of `preset`, a named set that the list may contain too. Without either it has all permissions of the key in use except `admin`, which is never granted here; ' +
    'without `expiresAt` it lasts as long as the key in use. An account has at most 50 keys.',
  idempotent: true,
  exampleBody: { name: 'Billing agent', scopes: ['invoices:read', 'invoices:write'] },
  answers: { 201: Type.Object({ ...Key.properties, key: Type.Optional(like('inv_…')) }) },
  refusals: ['limit_reached'],
}

export const listKeys: Docs = {
  summary: 'List API keys, newest first',
  description: 'Including revoked and expired ones.',
  answers: { 200: Type.Object({ data: Type.Array(Key), total: Type.Integer({ examples: [1] }) }) },
  refusals: ['invalid_request'],
}

export const revokeKey: Docs = {
  summary: 'Revoke an API key',
  description:
    'Within 5 seconds the key is refused, and so are its sessions and tokens. A key can revoke itself, and any key that has no permission it lacks. Repeating it gives the same answer.',
  answers: { 204: null },
}
