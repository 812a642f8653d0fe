/** The API key that requests a change, and the id of the HTTP request it was made in. */
export type By = { readonly keyId: string; readonly requestId: string }

/** One change of an account, key, webhook or budget. `before` and `after` contain no secrets. */
export type AuditEntry = {
  /** Increases with time; an integer as text. */
  readonly id: string
  readonly at: Date
  readonly accountId: string
  readonly kind: 'account' | 'key' | 'webhook' | 'budget'
  /** The id of what was changed; for a budget, the id of its agent. */
  readonly subjectId: string
  readonly action: 'created' | 'changed' | 'revoked' | 'deleted' | 'secret_rotated'
  /** `key:<id>`, or the name of the program that made the change by itself. */
  readonly actor: string
  readonly requestId: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
}
