import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Budgets, Wanted } from '../../actors/budgets.ts'
import type { Change } from '../../domain/budgets/budget.ts'
import { periods } from '../../domain/budgets/period.ts'
import { DomainError, hasReason, invalidField } from '../../domain/error.ts'
import { insistCurrency } from '../../domain/money/currency.ts'
import { maxUnits, parseAmount } from '../../domain/money/money.ts'
import { byOf, type Call, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import type { Body } from '../request/json.ts'
import { check, line, meant, minorUnits } from '../request/validation.ts'
import { ok, wrap } from '../response/envelope.ts'
import { isNameable, refuseNameless } from '../shared/agent-id.ts'
import { listBudgets } from './budget-list.ts'
import * as Docs from './docs.ts'

const Agent = Type.Object({ agentId: line(256) })

// Amounts are read from their source texts: their schemas document and check nothing.

const SetBudget = Type.Object({
  limit: Type.Optional(
    Type.Unknown({
      type: 'integer',
      minimum: 0,
      description: `The most the agent may spend in a period: ${minorUnits}, 0 or more. A new budget needs it.`,
    }),
  ),
  perTransactionLimit: Type.Optional(
    Type.Unknown({
      type: ['integer', 'null'],
      minimum: 0,
      description: `The most that one payment may take: ${minorUnits}, 0 or more; null: no such limit.`,
    }),
  ),
  period: Type.Optional(
    meant(
      Type.Union(
        periods.map((period) => Type.Literal(period)),
        { description: `must be one of ${periods.join(', ')}` },
      ),
      'How often the budget begins anew, in UTC; `total` never does. A new budget is by the month.',
    ),
  ),
  currency: Type.Optional(
    meant(
      line(16),
      'The currency of the limits: an ISO 4217 code, or `USDC`. That of a new budget is `USD`. Another one needs the limits named anew.',
    ),
  ),
  active: Type.Optional(
    meant(
      Type.Boolean({ description: 'must be true or false' }),
      'Whether the agent may spend; false: nothing.',
    ),
  ),
})

const CheckBudget = Type.Object({
  agentId: meant(line(256), 'The agent that wants to spend.'),
  amount: Type.Unknown({
    type: 'integer',
    minimum: 1,
    description: `How much it wants to spend: ${minorUnits}, 1 or more.`,
  }),
  currency: Type.Optional(
    meant(
      line(16),
      'The currency of the amount: that of the budget, which it is where it is left out.',
    ),
  ),
  reserve: Type.Optional(
    meant(
      Type.Boolean({ description: 'must be true or false' }),
      'Whether to hold the amount for 60 seconds, to be committed or released; false where it is left out.',
    ),
  ),
})

const checkRoute = '/api/budget/check'
const reservations = '/api/budget/reservations'

/** `/api/budget` (contract §7). A PUT changes what its body names; a new budget needs a limit. */
export function budgetRoutes(operation: Operations, budgets: Budgets) {
  return new Elysia()
    .get(
      '/api/budget',
      operation({ scope: 'budgets:read', docs: Docs.listBudgets }, (call) =>
        listBudgets(budgets, call),
      ),
    )
    .put(
      '/api/budget/:agentId',
      operation({ scope: 'budgets:write', body: SetBudget, docs: Docs.setBudget }, async (call) => {
        const { accountId } = call.principal
        const agentId = await nameableAgentOf(call, budgets)
        const budget = await budgets.set(accountId, agentId, changeOf(call.body), byOf(call))
        return ok(JSON.stringify(budget))
      }),
      unparsed,
    )
    .get(
      '/api/budget/:agentId',
      operation({ scope: 'budgets:read', docs: Docs.getBudget }, async (call) =>
        ok(JSON.stringify(await budgets.get(call.principal.accountId, agentOf(call)))),
      ),
    )
    .post(
      checkRoute,
      operation(
        { scope: 'budgets:read', body: CheckBudget, docs: Docs.checkBudget },
        async (call) => {
          const { accountId, scopes } = call.principal
          const wanted = wantedOf(call.body)
          if (call.body.value.reserve !== true)
            return ok(JSON.stringify(await budgets.check(accountId, wanted)))
          if (!scopes.has('budgets:write'))
            throw new DomainError(
              'forbidden',
              'To reserve, a key needs the permission budgets:write',
            )
          const idempotency = idempotencyOf(call, checkRoute)
          const outcome = await budgets.reserve(accountId, wanted, idempotency)
          return outcome.kind === 'reserved'
            ? ok(JSON.stringify(outcome.reserved))
            : replayed(wrap(outcome.made), 200)
        },
      ),
      unparsed,
    )
    .post(
      `${reservations}/:id/commit`,
      operation(
        { scope: 'budgets:write', docs: Docs.commitReservation },
        async ({ principal, params }) =>
          ok(JSON.stringify(await budgets.commit(principal.accountId, params.id ?? ''))),
      ),
      unparsed,
    )
    .post(
      `${reservations}/:id/release`,
      operation(
        { scope: 'budgets:write', docs: Docs.releaseReservation },
        async ({ principal, params }) =>
          ok(JSON.stringify(await budgets.release(principal.accountId, params.id ?? ''))),
      ),
      unparsed,
    )
}

function agentOf({ params }: Call): string {
  check(Agent, params)
  // Bytes that are not UTF-8 decode to this character, so different names would become one agent.
  if (params.agentId?.includes('\ufffd')) throw invalidField('agentId', 'is not valid UTF-8')
  return params.agentId
}

/**
 * The agent id of a budget to be set. An id that `X-Agent-Id` cannot carry is refused, unless it
 * already has a budget, which may still be changed. Errors: `invalid_request`.
 */
async function nameableAgentOf(call: Call, budgets: Budgets): Promise<string> {
  const agentId = agentOf(call)
  if (isNameable(agentId)) return agentId
  await budgets.get(call.principal.accountId, agentId).catch((error) => {
    if (hasReason(error, 'not_found')) refuseNameless()
    throw error
  })
  return agentId
}

function changeOf(body: Body): Change {
  const { period, currency, active } = body.value as typeof SetBudget.static
  const limit = body.source('limit')
  const perTransactionLimit = body.source('perTransactionLimit')
  return {
    ...(limit !== undefined && { limitMinor: minorOf('limit', limit, 0n) }),
    ...(perTransactionLimit !== undefined && {
      perTransactionMinor:
        perTransactionLimit === 'null'
          ? null
          : minorOf('perTransactionLimit', perTransactionLimit, 0n),
    }),
    ...(period !== undefined && { period }),
    ...(currency !== undefined && { currency: insistCurrency(currency) }),
    ...(active !== undefined && { active }),
  }
}

function wantedOf(body: Body): Wanted {
  const { agentId, currency } = body.value as typeof CheckBudget.static
  return {
    agentId,
    amountMinor: minorOf('amount', body.source('amount') ?? '', 1n),
    currency: currency === undefined ? null : insistCurrency(currency),
  }
}

/** An integer from its JSON text, exact to the last digit. Errors: `invalid_amount`. */
function minorOf(path: string, source: string, leastMinor: 0n | 1n): bigint {
  const minor = integerOf(source)
  if (minor !== null && minor >= leastMinor) return minor
  const message = `must be an integer of minor units from ${leastMinor} to ${maxUnits}`
  throw new DomainError('invalid_amount', `${path}: ${message}`, { details: [{ path, message }] })
}

function integerOf(source: string): bigint | null {
  if (source === '0') return 0n
  if (source.startsWith('"')) return null
  try {
    return parseAmount(source, 0)
  } catch {
    return null
  }
}
