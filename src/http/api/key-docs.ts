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
    '`key` is shown in this answer only: not when it is repeated for the same `Idempotency-Key`. What it may do are the `scopes` of the list and of `preset`, a set of them, which the list may name as well. Without either it may do all that the key in use may, but for `admin`, which is never granted here; ' +
    'without `expiresAt` it lasts as long as the key in use. An account has at most 50 keys.',
  idempotent: true,
  exampleBody: { name: 'Billing agent', scopes: ['invoices:read', 'invoices:write'] },
  answers: { 201: Type.Object({ ...Key.properties, key: Type.Optional(like('inv_…')) }) },
  refusals: ['limit_reached'],
}

export const listKeys: Docs = {
  summary: 'List API keys, newest first',
  description: 'Revoked and expired ones, too.',
  answers: { 200: Type.Object({ data: Type.Array(Key), total: Type.Integer({ examples: [1] }) }) },
}

export const revokeKey: Docs = {
  summary: 'Revoke an API key',
  description:
    'It is refused within 5 seconds, and so are its sessions and tokens. A key can revoke itself, and any that may do no more than it may. Once more is the same answer.',
  answers: { 204: null },
}
