import { invalidField } from '../error.ts'
import { isObject, type JsonObject } from '../json-text.ts'

const look = /^[\w-]{16,128}$/

/**
 * The id by which a payload of x402 v2 tells a retry from another order; null: none. Errors:
 * `invalid_request`.
 */
export function paymentIdIn({ extensions }: JsonObject, field: string): string | null {
  const extension = isObject(extensions) ? extensions['payment-identifier'] : null
  const { id = null } = isObject(extension) && isObject(extension.info) ? extension.info : {}
  if (id === null || (typeof id === 'string' && look.test(id))) return id
  throw invalidField(
    field,
    'needs an id of 16 to 128 letters, digits, - and _ in its extension payment-identifier',
  )
}
