import type { Sql } from '../../src/storage/postgres/db.ts'

type Look = (statement: { readonly text: string; readonly values: readonly unknown[] }) => unknown

/**
 * The connections of `sql`, with a look at each statement: `before` it is sent, and `after` its
 * answer has come. What a look returns is awaited.
 */
export function watchedSql(sql: Sql, { before, after }: { before?: Look; after?: Look }): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      const made = Reflect.apply(target as never, self, args)
      const [strings, ...values] = args
      if (!strings?.raw) return made
      const statement = { text: strings.join('?'), values }
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
        return answered
      }
    },
  })
}
