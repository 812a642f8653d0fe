import { Type } from '@sinclair/typebox'
import { type Days, daysOfPeriod } from '../../domain/books/period.ts'
import { invalidField } from '../../domain/error.ts'
import { dayOf, parseInstant } from '../../domain/instant.ts'
import type { Parameter } from './request-url.ts'

const dayMs = 86_400_000

/** The query parameters of a period, for `/openapi.json`. */
export const periodQuery = {
  period: Type.Optional(
    Type.String({
      description: 'A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`.',
      pattern: '^\\d{4}(-(Q[1-4]|0[1-9]|1[0-2]))?$',
      examples: ['2026-Q3'],
    }),
  ),
  from: Type.Optional(
    Type.String({
      description: 'Instead of `period`: the first day, UTC.',
      examples: ['2026-07-01'],
    }),
  ),
  to: Type.Optional(
    Type.String({ description: 'The day after the last one, UTC.', examples: ['2026-10-01'] }),
  ),
}

/** The period that a query asks for. Errors: `invalid_request`. */
export function daysIn(parameter: Parameter): Days {
  const period = parameter('period')
  const [from, to] = [dayIn(parameter, 'from'), dayIn(parameter, 'to')]
  if (period === null) {
    if (from !== null && to !== null && to <= from) throw invalidField('to', 'must be after from')
    return { from, to }
  }
  const named = from === null ? 'to' : 'from'
  if (from !== null || to !== null)
    throw invalidField('period', `cannot be sent together with ${named}`)
  const days = daysOfPeriod(period)
  if (!days)
    throw invalidField('period', 'must be a year, a quarter or a month: 2026, 2026-Q3 or 2026-10')
  return days
}

function dayIn(parameter: Parameter, name: 'from' | 'to'): string | null {
  const value = parameter(name)
  if (value === null) return null
  const instant = parseInstant(value)
  if (!instant || instant.getTime() % dayMs !== 0)
    throw invalidField(
      name,
      'must be a day such as 2026-07-01, or the midnight (UTC) it begins with',
    )
  return dayOf(instant)
}
