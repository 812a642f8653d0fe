/** On whose behalf something is changed: the key that asked, and by which request. */
export type By = { readonly keyId: string; readonly requestId: string }

/** One change of an account, a key, a webhook or a budget. Secrets are in neither `before` nor `after`. */
export type AuditEntry = {
  /** Rises with time; an integer as text. */
  readonly id: string
  readonly at: Date
  readonly accountId: string
  readonly kind: 'account' | 'key' | 'webhook' | 'budget'
  /** The id of what was changed; of a budget, its agent's. */
  readonly subjectId: string
  readonly action: 'created' | 'changed' | 'revoked' | 'deleted' | 'secret_rotated'
  /** `key:<id>`, or the program that did it by itself. */
  readonly actor: string
  readonly requestId: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
}
