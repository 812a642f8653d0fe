import type { AuditEntry, By } from '../domain/audit.ts'
import { type Sql, within } from './db.ts'

/** What a statement is about to change, and on whose behalf; null: on nobody's but the program's own. */
export type Attributed = {
  readonly accountId: string
  readonly subjectId: string
  readonly by: By | null
}

/**
 * A condition that is always true and has to stand in the statement which makes the changes: it tells the audit triggers, for this one
 * statement, who asked for them. Of a change by nobody the entry names the program.
 */
export function attributed(sql: Sql, changes: readonly Attributed[]) {
  const asked = changes.flatMap(({ accountId, subjectId, by }) =>
    by
      ? [[`${accountId} ${subjectId}`, { actor: `key:${by.keyId}`, requestId: by.requestId }]]
      : [],
  )
  if (asked.length === 0) return sql`true`
  const by = Object.fromEntries(asked)
  return sql`(select set_config('quittance.by', ${JSON.stringify(by)}, true)) is not null`
}

/** The newest entries before the id `before` (null: of all), newest first; of one account, or of every one. */
export function listAudit(
  sql: Sql,
  query: { accountId: string | null; before: string | null; limit: number },
): Promise<readonly AuditEntry[]> {
  const { accountId, before, limit } = query
  return within(
    () => sql<AuditEntry[]>`
      select id::text, at, account_id as "accountId", kind, subject_id as "subjectId", action, actor,
        request_id as "requestId", before, after
      from audit_log
      where (${accountId}::uuid is null or account_id = ${accountId}) and (${before}::bigint is null or id < ${before}::bigint)
      order by audit_log.id desc limit ${limit}`,
  )
}
