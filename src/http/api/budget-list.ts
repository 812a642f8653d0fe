import type { Budgets } from '../../actors/budgets.ts'
import type { Answer, Call } from '../operation.ts'
import { cursorPageIn, decodeCursor, encodeCursor, pageMembers } from '../request/paging.ts'
import { parametersOf } from '../request/request-url.ts'
import { wrapMembers } from '../response/envelope.ts'

/** A page of an account's budgets, in the order of their agents' ids. */
export async function listBudgets(
  budgets: Pick<Budgets, 'list'>,
  { principal, request }: Call,
): Promise<Answer> {
  const place = cursorPageIn(parametersOf(request.url), agentIdIn)
  const found = await budgets.list(principal.accountId, place)
  const shown = { items: found.budgets, ...found, limit: place.limit }
  return { status: 200, body: wrapMembers(pageMembers(shown, JSON.stringify, cursorOf)) }
}

function cursorOf({ agentId }: { readonly agentId: string }): string {
  return encodeCursor(agentId)
}

function agentIdIn(cursor: string): string | null {
  const agentId = decodeCursor(cursor)
  const isName = agentId !== '' && !agentId.includes('\0') && !agentId.includes('\ufffd')
  return isName ? agentId : null
}
