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
    description: 'The same key in another header.',
  },
  dashboardToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of `POST /api/v1/auth/token`, valid for 60 minutes.',
  },
}

export const headers = {
  'X-Request-Id': header(
    'Identifies the request in our logs; a valid id of yours is kept.',
    'string',
  ),
  'X-RateLimit-Limit': header('Requests allowed in the tighter of the two windows.', 'integer'),
  'X-RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window resets.', 'integer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'WWW-Authenticate': header('How to authenticate: `Bearer`.', 'string'),
  ETag: header('Identifies this version, for `If-None-Match`.', 'string'),
  'Idempotent-Replayed': header('`true` if this repeats the first answer.', 'string'),
  'PAYMENT-REQUIRED': header('The x402 payment requirements: base64 of JSON.', 'string'),
  'PAYMENT-RESPONSE': header('The x402 settlement response: base64 of JSON.', 'string'),
  'X-PAYMENT-RESPONSE': header('The same for clients of x402 v1.', 'string'),
  'X-Invoice-Id': header('The invoice for the purchase.', 'string'),
  'X-Invoice-Warnings': header('What was left out of the headers about the buyer.', 'string'),
  'X-Receipt-Id': header('Its receipt, once there is one.', 'string'),
  Link: header('Where the PDF of the invoice is: `rel="invoice"`.', 'string'),
}

export const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Identifies the request in our logs; generated if it is missing.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to retry: for 24 hours the same key and body give the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the version you have: if it is current, the answer is 304.',
    schema: { type: 'string' },
  },
}

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
