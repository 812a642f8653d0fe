import type { PaymentPayload } from '@x402/core/types'
import type { Requirement } from '../../domain/x402/paywall.ts'
import type { Authorization } from '../../domain/x402/settlement.ts'

/** The form facilitators take, whichever x402 version the payer spoke. */
export function payloadOf({ payload }: Authorization, requirement: Requirement): PaymentPayload {
  return { x402Version: 2, accepted: requirement, payload: { ...payload } }
}
