import { Type } from '@sinclair/typebox'
import type { Budgets } from '../../actors/budgets.ts'
import { invalidField } from '../../domain/error.ts'
import { integer, parametersOf } from '../invoice-listing.ts'
import type { Answer, Call } from '../operation.ts'

/** Query of the list of budgets. */
export const BudgetQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the page before.' })),
})

/** A page of an account's budgets, in the order of their agents' ids. */
export async function listBudgets(
  budgets: Pick<Budgets, 'list'>,
  { principal, request }: Call,
): Promise<Answer> {
  const one = parametersOf(request.url)
  const limit = integer('limit', one('limit'), 10, 100)
  const cursor = one('cursor')
  const after = cursor === null ? null : decodeCursor(cursor)
  const { budgets: data, hasMore } = await budgets.list(principal.accountId, { after, limit })
  const last = data.at(-1)
  const nextCursor = hasMore && last ? Buffer.from(last.agentId).toString('base64url') : null
  return {
    status: 200,
    body: JSON.stringify({ success: true, data, limit, hasMore, nextCursor }),
  }
}

// Opaque to callers; it names the last agent shown.
function decodeCursor(cursor: string): string {
  const agentId = Buffer.from(cursor, 'base64url').toString()
  const isName = agentId !== '' && !agentId.includes('\0') && !agentId.includes('\ufffd')
  if (!isName) throw invalidField('cursor', 'is not one of ours')
  return agentId
}
