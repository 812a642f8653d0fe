import { HTTPFacilitatorClient } from '@x402/core/http'
import { VerifyError } from '@x402/core/types'
import { addressKey, isTxHash } from '../domain/network.ts'
import type { Facilitator } from '../domain/x402-payment.ts'
import { payloadOf } from './facilitator-payload.ts'

const askAgainMs = 60_000

/** Another operator's facilitator, and what it settles. */
export type RemoteFacilitator = Facilitator & {
  /**
   * What the facilitator says about payments on a network (by its CAIP-2 name), such as who pays
   * the fee; null where it settles none. Until it has answered, it is taken to settle payments on
   * EVM chains, which need no extra data.
   */
  extraFor(caip2: string): Readonly<Record<string, unknown>> | null
}

/**
 * Settles through another operator's facilitator. A payment that it does not answer in time may be
 * settled all the same.
 */
export function remoteFacilitator(url: string, timeoutMs: number): RemoteFacilitator {
  const client = new HTTPFacilitatorClient({ url, timeoutMs })
  let kinds: Awaited<ReturnType<typeof client.getSupported>>['kinds'] | null = null
  let askAt = 0

  /**
   * Refreshes what is known in the background, at most once a minute; a caller uses what is known
   * now, and a later one what has changed.
   */
  function keepAsking(): void {
    if (performance.now() < askAt) return
    askAt = performance.now() + askAgainMs
    client.getSupported().then(
      (supported) => {
        kinds = supported.kinds
      },
      () => undefined,
    )
  }

  keepAsking()
  return {
    notesFirst: false,
    extraFor(caip2) {
      keepAsking()
      if (kinds === null) return caip2.startsWith('eip155:') ? {} : null
      const kind = kinds.find(
        ({ x402Version, scheme, network }) =>
          x402Version === 2 && scheme === 'exact' && network === caip2,
      )
      return kind ? (kind.extra ?? {}) : null
    },
    async verify(authorization, requirement) {
      const verdict = await client
        .verify(payloadOf(authorization, requirement), requirement)
        .catch(verdictIn)
      return verdict.isValid
        ? { kind: 'valid' }
        : { kind: 'refused', problem: verdict.invalidReason ?? 'invalid' }
    },
    async settle(authorization, requirement, note) {
      try {
        const { success, transaction } = await client.settle(
          payloadOf(authorization, requirement),
          requirement,
        )
        // A string that cannot be a transaction hash counts as none; otherwise the chain would be
        // asked for it for ever.
        if (isTxHash(authorization.network, transaction)) {
          const txHash = addressKey(transaction)
          await note(txHash)
          // Refused, but with a transaction: it was sent, and only the chain knows its outcome.
          if (success) return { kind: 'settled', txHash }
        }
      } catch {
        // Errors and refusals alike: a facilitator that now refuses may have sent the payment
        // before.
      }
      return { kind: 'unknown' }
    },
  }
}

/**
 * The verdict in an error: some facilitators report an invalid payment with an HTTP status of its
 * own. Rethrows rate limits (429) and server faults, which say nothing about the payment.
 */
function verdictIn(error: unknown): { isValid: false; invalidReason: string | undefined } {
  const { statusCode = 0, invalidReason } = error instanceof VerifyError ? error : {}
  if (statusCode >= 400 && statusCode < 500 && statusCode !== 429)
    return { isValid: false, invalidReason }
  throw error
}
