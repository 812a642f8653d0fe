import { invalidField, invalidFields } from '../../domain/error.ts'

/** The path of a request URL, which may be invalid, or lack a host, as clients name it. */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/** The query of a request URL, which may be invalid. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}

/** A query parameter by its name; null where it is missing. */
export type Parameter = (name: string) => string | null

/** Reads the query of a URL by name. Errors: `invalid_request` for a parameter that is repeated. */
export function parametersOf(url: string): Parameter {
  const parameters = queryOf(url)
  return (name) => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw invalidField(name, 'must not be repeated')
    return values[0] ?? null
  }
}

/**
 * What `read` makes of a list's query. Errors: `invalid_request`, also for a parameter that it does
 * not read: an ignored filter would show everything.
 */
export function listQueryOf<Query>(url: string, read: (parameter: Parameter) => Query): Query {
  const parameter = parametersOf(url)
  const known = new Set<string>()
  const query = read((name) => {
    known.add(name)
    return parameter(name)
  })
  const unknown = new Set(
    queryOf(url)
      .keys()
      .filter((name) => !known.has(name)),
  )
  if (unknown.size === 0) return query
  const those = known.size > 0 ? `this list takes ${[...known].join(', ')}` : 'this list takes none'
  throw invalidFields([...unknown], `is no query parameter here: ${those}`)
}

/** Refuses any query of a list that has no parameters. Errors: `invalid_request`. */
export function withoutQuery(url: string): void {
  listQueryOf(url, () => null)
}

/** Errors: `invalid_request` for a parameter that is not one of `values`. */
export function choiceIn<Value extends string>(
  parameter: Parameter,
  name: string,
  values: readonly Value[],
): Value | null {
  const value = parameter(name)
  if (value === null) return null
  const found = values.find((known) => known === value)
  if (found === undefined) throw invalidField(name, `must be one of ${values.join(', ')}`)
  return found
}

/** A filter named `status` or `state`. Errors: `invalid_request`, also if they differ. */
export function stateFilter<State extends string>(
  parameter: Parameter,
  values: readonly State[],
): State | null {
  const status = choiceIn(parameter, 'status', values)
  const state = choiceIn(parameter, 'state', values)
  if (status && state && status !== state)
    throw invalidField('state', 'differs from status, which means the same')
  return status ?? state
}
