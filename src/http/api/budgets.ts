import { Elysia } from 'elysia'
import type { Budgets } from '../../actors/budgets.ts'
import { DomainError } from '../../domain/error.ts'
import { type Answer, byOf, type Call, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { pageMembers } from '../request/paging.ts'
import { ok, wrap, wrapMembers } from '../response/envelope.ts'
import * as Fields from './budget-fields.ts'
import * as Docs from './docs.ts'

const route = '/api/budget'
const checkRoute = `${route}/check`
const reservationRoute = `${route}/reservations/:id`

const read = { scope: 'budgets:read' } as const
const write = { scope: 'budgets:write' } as const

/** `/api/budget` (contract §7). */
export function budgetRoutes(operation: Operations, budgets: Budgets) {
  return new Elysia()
    .get(
      route,
      operation({ ...read, docs: Docs.listBudgets }, (call) => list(budgets, call)),
    )
    .put(
      `${route}/:agentId`,
      operation({ ...write, body: Fields.SetBudget, docs: Docs.setBudget }, async (call) => {
        const agentId = await Fields.nameableAgentOf(call, budgets)
        const change = Fields.changeOf(call.body)
        const budget = await budgets.set(call.principal.accountId, agentId, change, byOf(call))
        return ok(JSON.stringify(budget))
      }),
      unparsed,
    )
    .get(
      `${route}/:agentId`,
      operation({ ...read, docs: Docs.getBudget }, async (call) =>
        ok(JSON.stringify(await budgets.get(call.principal.accountId, Fields.agentOf(call)))),
      ),
    )
    .post(
      checkRoute,
      operation({ ...read, body: Fields.CheckBudget, docs: Docs.checkBudget }, (call) =>
        call.body.value.reserve === true ? reserve(budgets, call) : check(budgets, call),
      ),
      unparsed,
    )
    .post(
      `${reservationRoute}/commit`,
      operation({ ...write, docs: Docs.commitReservation }, async ({ principal, params }) =>
        ok(JSON.stringify(await budgets.commit(principal.accountId, params.id ?? ''))),
      ),
      unparsed,
    )
    .post(
      `${reservationRoute}/release`,
      operation({ ...write, docs: Docs.releaseReservation }, async ({ principal, params }) =>
        ok(JSON.stringify(await budgets.release(principal.accountId, params.id ?? ''))),
      ),
      unparsed,
    )
}

/** A page of an account's budgets, in the order of their agents' ids. */
async function list(budgets: Budgets, { principal, request }: Call): Promise<Answer> {
  const page = Fields.pageOf(request.url)
  const found = await budgets.list(principal.accountId, page)
  const shown = { items: found.budgets, ...found, limit: page.limit }
  return { status: 200, body: wrapMembers(pageMembers(shown, JSON.stringify, Fields.cursorOf)) }
}

async function check(budgets: Budgets, { principal, body }: Call): Promise<Answer> {
  const wanted = Fields.wantedOf(body)
  return ok(JSON.stringify(await budgets.check(principal.accountId, wanted)))
}

async function reserve(budgets: Budgets, call: Call): Promise<Answer> {
  const { accountId, scopes } = call.principal
  const wanted = Fields.wantedOf(call.body)
  if (!scopes.has('budgets:write'))
    throw new DomainError('forbidden', 'To reserve, a key needs the permission budgets:write')
  const outcome = await budgets.reserve(accountId, wanted, idempotencyOf(call, checkRoute))
  return outcome.kind === 'reserved'
    ? ok(JSON.stringify(outcome.reserved))
    : replayed(wrap(outcome.made), 200)
}
