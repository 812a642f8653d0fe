import { expect, test } from 'bun:test'
import { scopes } from '../../src/domain/accounts/scopes.ts'
import { keyWith, refused } from '../support/app.ts'
import { useWorld } from '../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const everyInvoice =
  'must be one of limit, cursor, page, status, search, startDate, endDate, agentId'
const byState = 'must be one of limit, cursor, status, state'

test.each([
  ['/api/invoices', everyInvoice],
  ['/api/v1/invoices', everyInvoice],
  ['/v1/invoices', everyInvoice],
  ['/api/transfers', 'must be one of limit, cursor, page, status, chain'],
  ['/v1/mandates', 'must be one of limit, cursor, page, status, state'],
  ['/api/budget', 'must be one of limit, cursor'],
  ['/api/webhooks', 'is not known here'],
  ['/v1/webhooks', 'is not known here'],
  [`/api/webhooks/${crypto.randomUUID()}/deliveries`, byState],
  [`/v1/webhooks/${crypto.randomUUID()}/deliveries`, byState],
  ['/api/keys', 'is not known here'],
  ['/api/v1/tax/rates', 'must be one of country'],
])('C15 %s refuses a query parameter that it does not know, and names it', async (path, known) => {
  const headers = { 'x-api-key': await keyWith(app, scopes) }
  const answer = await app.send('GET', `${path}?customerId=42`, undefined, headers)
  expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.json.error.details).toEqual([
    { path: 'customerId', message: `as a query parameter ${known}` },
  ])
})
