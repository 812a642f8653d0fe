import { Type } from '@sinclair/typebox'
import type { Budgets, Wanted } from '../../actors/budgets.ts'
import type { Change } from '../../domain/budgets/budget.ts'
import { periods } from '../../domain/budgets/period.ts'
import { DomainError, hasReason, invalidField } from '../../domain/error.ts'
import { requireCurrency } from '../../domain/money/currency.ts'
import { maxUnits, parseAmount } from '../../domain/money/money.ts'
import type { Call } from '../operation.ts'
import type { Body } from '../request/json.ts'
import { cursorPageIn, decodeCursor, encodeCursor } from '../request/paging.ts'
import { listQueryOf } from '../request/request-url.ts'
import { check, choice, line, meant, minorUnits, optional } from '../request/validation.ts'
import { isNameable, refuseNameless } from '../shared/agent-id.ts'

/** What callers send about budgets, and how it is read. */

const Agent = Type.Object({ agentId: line(256) })

// Amounts are read from their source texts: their schemas document and check nothing.

export const SetBudget = Type.Object({
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
      description: `The most that one payment may take: ${minorUnits}, 0 or more; null for no limit.`,
    }),
  ),
  period: optional(
    choice(periods),
    'How often the budget starts again, in UTC; `total` never does. Default for a new budget: `month`.',
  ),
  currency: optional(
    line(16),
    'The currency of the limits: an ISO 4217 code, or `USDC`. Default for a new budget: `USD`. To change it, send the limits too.',
  ),
  active: optional(
    Type.Boolean({ description: 'must be true or false' }),
    'Whether the agent may spend anything.',
  ),
})

export const CheckBudget = Type.Object({
  agentId: meant(line(256), 'The agent that wants to spend.'),
  amount: Type.Unknown({
    type: 'integer',
    minimum: 1,
    description: `How much it wants to spend: ${minorUnits}, 1 or more.`,
  }),
  currency: optional(
    line(16),
    'The currency of the amount. It must be that of the budget, which is the default.',
  ),
  reserve: optional(
    Type.Boolean({ description: 'must be true or false' }),
    'Whether to hold the amount for 60 seconds, to be committed or released. Default: false.',
  ),
})

export function agentOf({ params }: Call): string {
  check(Agent, params)
  // Bytes that are not UTF-8 decode to this character: different names would be one agent.
  if (params.agentId?.includes('\ufffd')) throw invalidField('agentId', 'is not valid UTF-8')
  return params.agentId
}

/**
 * The agent id of a budget to be set. An id that `X-Agent-Id` cannot carry is refused unless it has
 * a budget already. Errors: `invalid_request`.
 */
export async function nameableAgentOf(call: Call, budgets: Budgets): Promise<string> {
  const agentId = agentOf(call)
  if (isNameable(agentId)) return agentId
  await budgets.get(call.principal.accountId, agentId).catch((error) => {
    if (hasReason(error, 'not_found')) refuseNameless()
    throw error
  })
  return agentId
}

export function changeOf(body: Body): Change {
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
    ...(currency !== undefined && { currency: requireCurrency(currency) }),
    ...(active !== undefined && { active }),
  }
}

export function wantedOf(body: Body): Wanted {
  const { agentId, currency } = body.value as typeof CheckBudget.static
  return {
    agentId,
    amountMinor: minorOf('amount', body.source('amount') ?? '', 1n),
    currency: currency === undefined ? null : requireCurrency(currency),
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

/** Errors: `invalid_request`. */
export function pageOf(url: string) {
  return listQueryOf(url, (parameter) => cursorPageIn(parameter, agentIdIn))
}

export function cursorOf({ agentId }: { readonly agentId: string }): string {
  return encodeCursor(agentId)
}

function agentIdIn(cursor: string): string | null {
  const agentId = decodeCursor(cursor)
  const isName = agentId !== '' && !agentId.includes('\0') && !agentId.includes('\ufffd')
  return isName ? agentId : null
}
