import type { TObject } from '@sinclair/typebox'
import type { Docs } from '../operation.ts'

/**
 * The extension `bazaar` of `@x402/extensions`: from it crawlers learn what to send and what comes
 * back. Clients repeat it in their payments, so it is short.
 */
export function discoveryOf({ exampleBody, exampleAnswer }: Docs, body: TObject): object {
  const { x_payment: _, ...properties } = body.properties
  const fields = Object.entries(properties).map(([name, { type, description }]) => [
    name,
    { type: type ?? 'string', description },
  ])
  const input = {
    type: 'object',
    properties: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: ['POST'] },
      bodyType: { type: 'string', enum: ['json'] },
      body: {
        type: 'object',
        properties: Object.fromEntries(fields),
        required: body.required ?? [],
      },
    },
    required: ['type', 'method', 'bodyType', 'body'],
    additionalProperties: false,
  }
  const output = {
    type: 'object',
    properties: { type: { type: 'string' }, example: { type: 'object' } },
    required: ['type'],
  }
  return {
    bazaar: {
      info: {
        input: { type: 'http', method: 'POST', bodyType: 'json', body: exampleBody },
        output: { type: 'json', example: exampleAnswer },
      },
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { input, output },
        required: ['input'],
      },
    },
  }
}
