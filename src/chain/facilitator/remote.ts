import { isObject, type JsonObject } from '../../domain/json-text.ts'
import { addressKey, isTxHash } from '../../domain/network.ts'
import { entryOf } from '../../domain/x402/payment-required.ts'
import type { OwnRequirements } from '../../domain/x402/requirements.ts'
import type { Facilitator } from '../../domain/x402/settlement.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'
import { feePayerIn } from '../solana/message.ts'
import { type FacilitatorAnswer, facilitatorClient, payloadOf } from './client.ts'

const askAgainMs = 60_000
/** As many as are given in the time that a payment may take. */
const keptAnswers = 4

type Supported = { readonly kinds: readonly JsonObject[]; readonly signers: readonly unknown[] }

export type RemoteFacilitator = Facilitator & {
  /**
   * The facilitator's extra data for a network (CAIP-2), such as who pays the fee; null where it
   * settles none. Until it has answered, EVM chains are assumed, which need none.
   */
  extraFor(caip2: string): Readonly<Record<string, unknown>> | null
}

/** A payment that the facilitator does not answer in time may be settled all the same. */
export function remoteFacilitator(url: string, timeoutMs: number): RemoteFacilitator {
  const client = facilitatorClient(url, timeoutMs)
  let answers: readonly Supported[] = []
  let askAt = 0

  /** Refreshes in the background at most once a minute; the caller uses what is known now. */
  function refreshSupported(): void {
    if (performance.now() < askAt) return
    askAt = performance.now() + askAgainMs
    client.ask('supported').then(
      (answer) => {
        const supported = supportedIn(answer)
        if (supported) answers = [supported, ...answers].slice(0, keptAnswers)
      },
      () => undefined,
    )
  }

  /** The fee payer that the payment was signed for: a facilitator may have several. */
  function asSigned(
    requirements: OwnRequirements,
    { network, payload }: SignedPayment,
  ): OwnRequirements {
    if (network !== 'solana') return requirements
    const { extra } = requirements
    const feePayer = feePayerIn(`${payload.transaction}`)
    const isKnown = answers.some(
      ({ kinds, signers }) =>
        signers.includes(feePayer) || kinds.some((kind) => extraIn(kind).feePayer === feePayer),
    )
    return isKnown ? { ...requirements, extra: { ...extra, feePayer } } : requirements
  }

  function requestOf(payment: SignedPayment, requirements: OwnRequirements): object {
    const paymentRequirements = entryOf(asSigned(requirements, payment))
    const paymentPayload = payloadOf(payment, paymentRequirements)
    return { x402Version: 2, paymentPayload, paymentRequirements }
  }

  refreshSupported()
  return {
    notesFirst: false,
    extraFor(caip2) {
      refreshSupported()
      const [newest] = answers
      if (!newest) return caip2.startsWith('eip155:') ? {} : null
      const kind = newest.kinds.find(
        ({ x402Version, scheme, network }) =>
          x402Version === 2 && scheme === 'exact' && network === caip2,
      )
      return kind ? extraIn(kind) : null
    },
    async verify(payment, requirements) {
      const { status, content } = await client.ask('verify', requestOf(payment, requirements))
      const { isValid, invalidReason } = content
      // Some answer an invalid payment with a status of its own; 429 and 5xx say nothing about it.
      if (typeof isValid !== 'boolean' || status === 429 || status >= 500)
        throw new Error(`The facilitator answers verify with ${status} and no verdict`)
      if (isValid && status < 300) return { kind: 'valid' }
      return { kind: 'refused', problem: textIn(invalidReason) || 'invalid' }
    },
    async settle(payment, requirements, note) {
      try {
        const { status, content } = await client.ask('settle', requestOf(payment, requirements))
        const transaction = textIn(content.transaction)
        // For a string that is no transaction hash, the chain would be asked for ever.
        if (isTxHash(payment.network, transaction)) {
          const txHash = addressKey(transaction)
          await note(txHash)
          // Refused, but with a transaction: it was sent, and only the chain knows its outcome.
          if (content.success === true && status < 300) return { kind: 'settled', txHash }
        }
      } catch {
        // A facilitator that now refuses may have sent the payment before.
      }
      return { kind: 'unknown' }
    },
  }
}

function supportedIn({ status, content }: FacilitatorAnswer): Supported | null {
  const { kinds, signers } = content
  if (status >= 300 || !Array.isArray(kinds)) return null
  // By families of networks, such as `solana:*`; an address belongs to one family only.
  const lists = isObject(signers) ? Object.values(signers) : []
  return { kinds: kinds.filter(isObject), signers: lists.flat() }
}

function extraIn({ extra }: JsonObject): JsonObject {
  return isObject(extra) ? extra : {}
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
