import { expect, test } from 'bun:test'
import { scopes } from '../../src/domain/accounts/scopes.ts'
import { keyWith, refused } from '../support/app.ts'
import { useWorld } from '../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const everyInvoice =
  'this list takes limit, cursor, page, status, search, startDate, endDate, kind, agentId'
const byState = 'this list takes limit, cursor, status, state'

test.each([
  ['/api/invoices', everyInvoice],
  ['/api/v1/invoices', everyInvoice],
  ['/v1/invoices', everyInvoice],
  ['/api/transfers', 'this list takes limit, cursor, page, status, chain'],
  ['/v1/mandates', 'this list takes limit, cursor, page, status, state'],
  ['/api/budget', 'this list takes limit, cursor'],
  ['/api/webhooks', 'this list takes none'],
  ['/v1/webhooks', 'this list takes none'],
  [`/api/webhooks/${crypto.randomUUID()}/deliveries`, byState],
  [`/v1/webhooks/${crypto.randomUUID()}/deliveries`, byState],
  ['/api/keys', 'this list takes none'],
  ['/api/v1/tax/rates', 'this list takes country'],
])('%s refuses a query parameter that it does not know, and names it', async (path, known) => {
  const headers = { 'x-api-key': await keyWith(app, scopes) }
  const answer = await app.send('GET', `${path}?customerId=42`, undefined, headers)
  expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.json.error.details).toEqual([
    { path: 'customerId', message: `is no query parameter here: ${known}` },
  ])
})
