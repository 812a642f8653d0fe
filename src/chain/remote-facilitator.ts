import { HTTPFacilitatorClient } from '@x402/core/http'
import type { Facilitator } from '../domain/x402-payment.ts'
import { payloadOf } from './evm-facilitator.ts'

/** Settles through somebody else's facilitator. What it does not answer in time may be settled all the same. */
export function remoteFacilitator(url: string, timeoutMs: number): Facilitator {
  const client = new HTTPFacilitatorClient({ url, timeoutMs })
  return {
    async verify(authorization, requirement) {
      const verdict = await client.verify(payloadOf(authorization, requirement), requirement)
      return verdict.isValid
        ? { kind: 'valid' }
        : { kind: 'refused', problem: verdict.invalidReason ?? 'invalid' }
    },
    async settle(authorization, requirement, note) {
      try {
        const outcome = await client.settle(payloadOf(authorization, requirement), requirement)
        if (outcome.transaction) await note(outcome.transaction)
        // Refused with a transaction: it was sent, and only the chain knows what became of it.
        if (outcome.success && outcome.transaction)
          return { kind: 'settled', txHash: outcome.transaction }
      } catch {
        // Errors and refusals alike: a facilitator that says no may have sent it before.
      }
      return { kind: 'unknown' }
    },
  }
}
