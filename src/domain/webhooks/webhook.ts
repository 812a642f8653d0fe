export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  /** Why the service switched it off; null if it did not. */
  readonly disabledReason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The changes to a webhook; null leaves a member unchanged. */
export type WebhookChange = {
  readonly url: string | null
  readonly events: readonly string[] | null
  readonly active: boolean | null
}

/** A webhook as its owner reads it, as JSON text; with `secrets` where they are shown. */
export function toJson(webhook: Webhook, secrets: object = {}): string {
  return JSON.stringify({ ...webhook, ...secrets })
}
