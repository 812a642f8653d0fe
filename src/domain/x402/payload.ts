import { isObject, type JsonObject, unpacked } from '../json-text.ts'

/** `network` is as written, `accepted` what version 2 repeats. A `transfer` is already on chain. */
export type PaymentPayload =
  | {
      readonly kind: 'signed'
      readonly scheme: unknown
      readonly network: string
      readonly accepted: JsonObject | null
      readonly payload: JsonObject
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

/** Null: none. `unreadable` unless it is a transfer or of the scheme `exact`. */
export function findPayload({
  paymentSignature,
  xPayment,
  bodyPayment,
}: PayloadSources): PaymentPayload | 'unreadable' | null {
  const sent = paymentSignature ?? xPayment ?? bodyPayment ?? null
  if (sent === null) return null
  const payment = readPayload(unpacked(sent))
  const isExact = payment?.kind === 'transfer' || payment?.scheme === 'exact'
  return payment && isExact ? payment : 'unreadable'
}

/** Of any scheme. */
export function readPayload(value: unknown): PaymentPayload | null {
  if (!isObject(value)) return null
  const { txHash, signature, payer, payload } = value
  if (isText(txHash) && isText(signature) && isText(payer))
    return { kind: 'transfer', txHash, signature, payer }
  const accepted = isObject(value.accepted) ? value.accepted : null
  const { scheme, network } = accepted ?? value
  if (!isObject(payload) || !isText(network)) return null
  return { kind: 'signed', scheme, network, accepted, payload }
}

const mostCharacters = 8_192

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= mostCharacters
}
