import type { Days } from '../../domain/books/period.ts'
import { invalidField } from '../../domain/error.ts'
import { parseInstant } from '../../domain/instant.ts'
import { statesOf, statusesOf } from '../../domain/invoices/figures.ts'
import { type ListQuery, type Place, searchOf } from '../../domain/invoices/list.ts'
import { type Form, kinds } from '../../domain/invoices/terms.ts'
import { decodeCursor, encodeCursor, pageIn } from '../request/paging.ts'
import { daysIn } from '../request/period.ts'
import { choiceIn, listQueryOf, type Parameter } from '../request/request-url.ts'

export type Page = {
  readonly page: number
  readonly query: ListQuery
}

/**
 * The query of a list; only exports are of a period. Errors: `invalid_request` for a parameter that
 * is malformed or repeated.
 */
export function readListQuery(url: string, form: Form, isExport: boolean): Page {
  return listQueryOf(url, (parameter) => {
    const { page, ...place } = pageIn(parameter, placeIn)
    const status = choiceIn(parameter, 'status', statusesOf(form))
    const search = textIn(parameter, 'search')
    return {
      page,
      query: {
        states: status === null ? null : statesOf(status, form),
        createdFrom: dateIn(parameter, 'startDate'),
        createdBefore: dateIn(parameter, 'endDate'),
        settled: isExport ? periodIn(parameter) : null,
        kind: choiceIn(parameter, 'kind', kinds),
        agentId: textIn(parameter, 'agentId'),
        search: search === null ? null : searchOf(search),
        ...place,
      },
    }
  })
}

function periodIn(parameter: Parameter): Days | null {
  const days = daysIn(parameter)
  return days.from === null && days.to === null ? null : days
}

/** The cursor of what follows an invoice: lists are newest first. */
export function cursorOf({ year, place }: Place): string {
  return encodeCursor(`${year}.${place}`)
}

// A + that is not encoded arrives as a space.
const notADate =
  'must be an ISO 8601 date or timestamp with Z or an offset; in a query + is written %2B'

function dateIn(parameter: Parameter, name: string): Date | null {
  const value = parameter(name)
  if (value === null) return null
  const instant = parseInstant(value)
  if (!instant) throw invalidField(name, notADate)
  return instant
}

function textIn(parameter: Parameter, name: string): string | null {
  const value = parameter(name)
  const hasControls = value !== null && [...value].some((character) => character < ' ')
  if (value !== null && (value === '' || [...value].length > 256 || hasControls)) {
    throw invalidField(name, 'must be a text of 1 to 256 characters')
  }
  return value
}

function placeIn(cursor: string): Place | null {
  const [, year, place] = /^(\d{4})\.(\d{1,9})$/.exec(decodeCursor(cursor)) ?? []
  return year === undefined ? null : { year: Number(year), place: Number(place) }
}
