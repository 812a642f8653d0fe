import { addressProblem, networkLike } from '../address.ts'
import { isObject, type JsonObject, unpacked } from '../json-text.ts'

/** `network` is as written, `accepted` what version 2 repeats. A `transfer` is already on chain. */
export type PaymentPayload =
  | {
      readonly kind: 'signed'
      readonly scheme: unknown
      readonly network: string
      readonly accepted: JsonObject | null
      readonly payload: JsonObject
      readonly version: unknown
      readonly extensions: unknown
    }
  | {
      readonly kind: 'transfer'
      readonly txHash: string
      readonly signature: string
      readonly payer: string
    }

/** In the order of precedence. */
export type PayloadSources = {
  readonly paymentSignature: string | null
  readonly xPayment: string | null
  readonly bodyPayment: unknown
}

export type UnreadablePayload = { readonly kind: 'unreadable'; readonly problem: string }

export const notAccepted =
  'The payment cannot be read, is not signed by its payer, or is for a network that is not accepted'
const wrongVersion =
  'The payment has another x402Version than it is sent with: it is 2 in PAYMENT-SIGNATURE, 1 in X-PAYMENT, and either in x_payment'

/** Null: none. `unreadable` unless it is a transfer or of the scheme `exact`. */
export function findPayload({
  paymentSignature,
  xPayment,
  bodyPayment,
}: PayloadSources): PaymentPayload | UnreadablePayload | null {
  const sent = paymentSignature ?? xPayment ?? bodyPayment ?? null
  if (sent === null) return null
  const payment = readPayload(unpacked(sent))
  if (!payment) return { kind: 'unreadable', problem: notAccepted }
  if (payment.kind === 'transfer') {
    const { payer } = payment
    const why = addressProblem(networkLike(payer), payer)
    return why === null ? payment : { kind: 'unreadable', problem: `payer ${why}` }
  }
  const versions = paymentSignature !== null ? [2] : xPayment !== null ? [1] : [1, 2]
  if (!versions.some((version) => version === payment.version))
    return { kind: 'unreadable', problem: wrongVersion }
  return payment.scheme === 'exact' ? payment : { kind: 'unreadable', problem: notAccepted }
}

/** Of any scheme. */
export function readPayload(value: unknown): PaymentPayload | null {
  if (!isObject(value)) return null
  const { txHash, signature, payer, payload, x402Version: version, extensions } = value
  if (isText(txHash) && isText(signature) && isText(payer))
    return { kind: 'transfer', txHash, signature, payer }
  const accepted = isObject(value.accepted) ? value.accepted : null
  const { scheme, network } = accepted ?? value
  if (!isObject(payload) || !isText(network)) return null
  return { kind: 'signed', scheme, network, accepted, payload, version, extensions }
}

const mostCharacters = 8_192

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= mostCharacters
}
