import type { PaymentPayload } from '@x402/core/types'
import { isObject, type JsonObject } from '../../domain/json-text.ts'
import type { AcceptsEntry } from '../../domain/x402/payment-required.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'

export type FacilitatorAnswer = { readonly status: number; readonly content: JsonObject }

/** The official client prints plain text to stdout, between the lines of the log. */
export function facilitatorClient(url: string, timeoutMs: number) {
  const base = url.replace(/\/+$/, '')

  /** Rejects where there is no answer in time, or one that is no JSON object. */
  async function ask(
    path: 'supported' | 'verify' | 'settle',
    request?: object,
  ): Promise<FacilitatorAnswer> {
    const response = await fetch(`${base}/${path}`, {
      ...(request && { method: 'POST', body: JSON.stringify(request) }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    const content: unknown = await response.json().catch((cause) => {
      throw new Error(`The facilitator answers ${path} with ${status} and no JSON`, { cause })
    })
    if (!isObject(content))
      throw new Error(`The facilitator answers ${path} with ${status} and no object`)
    return { status, content }
  }

  return { ask }
}

/** The form facilitators take, whichever x402 version the payer spoke. */
export function payloadOf({ payload }: SignedPayment, accepted: AcceptsEntry): PaymentPayload {
  return { x402Version: 2, accepted, payload: { ...payload } }
}
