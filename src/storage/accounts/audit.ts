import type { AuditEntry, By } from '../../domain/accounts/account.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** A change; `by` is null when the program acts by itself. */
export type Attributed = {
  readonly accountId: string
  readonly subjectId: string
  readonly by: By | null
}

/** A condition that is always true and names the authors of a statement to the audit triggers. */
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

/** Audit entries of one account, or of all (null), newest first, older than the id `before`. */
export function listAudit(
  sql: Sql,
  query: { accountId: string | null; before: string | null; limit: number },
): Promise<readonly AuditEntry[]> {
  const { accountId, before, limit } = query
  return statement<AuditEntry[]>(sql)`
    select id::text, at, account_id as "accountId", kind, subject_id as "subjectId", action, actor,
      request_id as "requestId", before, after
    from audit_log
    where (${accountId}::uuid is null or account_id = ${accountId}) and (${before}::bigint is null or id < ${before}::bigint)
    order by audit_log.id desc limit ${limit}`
}
