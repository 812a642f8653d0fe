import type { Sql } from '../../src/storage/postgres/db.ts'

type Statement = { readonly text: string; readonly values: readonly unknown[] }
type Look = (statement: Statement) => unknown

/**
 * Looks at each statement `before` it is sent and `after` its answer; `instead` may change the
 * rows.
 */
export function watchedSql(
  sql: Sql,
  {
    before,
    after,
    instead = (_, rows) => rows,
  }: { before?: Look; after?: Look; instead?: (statement: Statement, rows: never) => unknown },
): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      const made = Reflect.apply(target as never, self, args)
      const [strings, ...values] = args
      if (!strings?.raw) return made
      const statement = whole(strings, values)
      return new Proxy(made as Promise<unknown>, {
        get(query, name) {
          if (name === 'then') {
            return (...settle: Parameters<typeof query.then>) => answer().then(...settle)
          }
          const value = Reflect.get(query, name, query)
          return typeof value === 'function' ? value.bind(query) : value
        },
      })

      async function answer() {
        await before?.(statement)
        const answered = await made
        await after?.(statement)
        return instead(statement, answered as never)
      }
    },
  })
}

/** A statement with the fragments that it is made of. */
function whole(strings: readonly string[], values: readonly unknown[]): Statement {
  const parts = values.map((value) =>
    isFragment(value) ? whole(value.strings, value.args) : { text: '?', values: [value] },
  )
  return {
    text: strings.map((text, at) => text + (parts[at]?.text ?? '')).join(''),
    values: parts.flatMap((part) => part.values),
  }
}

type Fragment = { readonly strings: readonly string[]; readonly args: readonly unknown[] }

function isFragment(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && 'strings' in value && 'args' in value
}
