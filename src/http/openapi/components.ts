/** What operations refer to by name in `components`, apart from schemas and responses. */

/** How a caller may authenticate. A security requirement lists the permission a key must have. */
export const securitySchemes = {
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of either kind, `inv_…` or `sk_…`.',
  },
  headerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key in a header of its own.',
  },
  dashboardToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of `POST /api/v1/auth/token`, good for 60 minutes.',
  },
}

export const headers = {
  'X-Request-Id': header('Names the request in our logs; a valid one of yours is kept.', 'string'),
  'X-RateLimit-Limit': header('Requests allowed in the tighter of the two windows.', 'integer'),
  'X-RateLimit-Remaining': header('What is left of them.', 'integer'),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window starts anew.', 'integer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'WWW-Authenticate': header('How to prove who you are: `Bearer`.', 'string'),
  ETag: header('Names this version, for `If-None-Match`.', 'string'),
  'Idempotent-Replayed': header('`true` where this is the first answer once more.', 'string'),
  'PAYMENT-REQUIRED': header('What must be paid, as x402 has it: base64 of JSON.', 'string'),
  'PAYMENT-RESPONSE': header('What was paid, as x402 has it: base64 of JSON.', 'string'),
  'X-PAYMENT-RESPONSE': header('The same for clients of x402 v1.', 'string'),
  'X-Invoice-Id': header('The invoice of what is bought.', 'string'),
  'X-Receipt-Id': header('Its receipt, once there is one.', 'string'),
  Link: header('Where the PDF of the invoice is: `rel="invoice"`.', 'string'),
}

export const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Names the request in our logs; made here where it is missing.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request repeatable: same key and body, same answer, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of what you have: is it still the same, the answer is 304.',
    schema: { type: 'string' },
  },
}

/** Makes references to components of this kind by name. */
export function refer(kind: string): (name: string) => { readonly $ref: string } {
  return (name) => ({ $ref: `#/components/${kind}/${name}` })
}

export function headerRefs(...names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, refer('headers')(name)]))
}

/** Turns schemas into JSON; parts with an `$id` become components of that name. */
export function createSchemas() {
  const used: Record<string, unknown> = {}

  function schemaOf(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(schemaOf)
    if (typeof schema !== 'object' || schema === null) return schema
    const { $id, ...rest } = schema as { readonly $id?: unknown }
    if (typeof $id !== 'string') return membersOf(rest)
    used[$id] ??= membersOf(rest)
    return refer('schemas')($id)
  }

  function membersOf(schema: object): object {
    const members = Object.entries(schema).map(([name, value]) => [name, schemaOf(value)])
    return Object.fromEntries(members)
  }

  return { schemaOf, used }
}

function header(description: string, type: string): object {
  return { description, schema: { type } }
}
