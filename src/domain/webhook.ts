/** A subscription as its owner sees it; its secret is shown once, at creation. */
export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  /** Why it was switched off, when the service did so. */
  readonly disabledReason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What may be changed of a webhook; null leaves it as it is. */
export type WebhookChange = {
  readonly url: string | null
  readonly events: readonly string[] | null
  readonly active: boolean | null
}
