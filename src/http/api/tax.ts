import { Elysia } from 'elysia'
import * as Docs from '../openapi/doc-schemas.ts'
import { type Operations, unparsed } from '../operation.ts'
import { CalculateTax, calculateTax } from '../shared/tax.ts'

/** `/api/tax/calculate`, which answers as `/api/v1/tax/calculate` does. */
export function taxRoutes(operation: Operations) {
  return new Elysia().post(
    '/api/tax/calculate',
    operation({ scope: null, body: CalculateTax, docs: Docs.calculateTax }, calculateTax),
    unparsed,
  )
}
