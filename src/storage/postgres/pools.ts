import type { Sql } from './db.ts'

/**
 * Runs one statement of an account that may take long. Errors: `overloaded` if too many such
 * statements are under way.
 */
export type ListReader = <T>(accountId: string, read: (sql: Sql) => Promise<T>) => Promise<T>
