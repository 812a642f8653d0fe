import { invalidField } from '../error.ts'
import { isObject, type JsonObject } from '../json-text.ts'

const look = /^[\w-]{16,128}$/

/** As `@x402/extensions` declares it in a 402. */
export const identifierOffer = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
}

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
