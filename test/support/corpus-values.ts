import { presets } from '../../src/domain/account.ts'
import { issueKey } from '../../src/operator/accounts.ts'
import { revokeKey } from '../../src/storage/accounts.ts'
import { keyWith, type TestApp, testSecretsKey } from './app.ts'
import type { Values } from './corpus.ts'
import { forgedTokens } from './forged-tokens.ts'

/** Something of everything that the cases of the corpus name, in this app. */
export async function valuesIn(app: TestApp): Promise<Values> {
  const { account, other } = app
  const token = await app.send('POST', '/api/v1/auth/token')
  await app.send('PUT', '/api/budget/spender', { limit: 100, currency: 'USD' })
  return {
    API_KEY: account.apiKey,
    API_KEY_MINUS_LAST: account.apiKey.slice(0, -1),
    V1_KEY: account.v1Key,
    OTHER_KEY: other.apiKey,
    OTHER_ACCOUNT: other.account.id,
    REVOKED_KEY: await aRevokedKey(app),
    READONLY_KEY: await keyWith(app, presets.read_only),
    INV: await anInvoice(app),
    WH: await aWebhook(app),
    AGENT: 'spender',
    ...(await forgedTokens(token.json.data.token, testSecretsKey)),
  }
}

/** The id of a new invoice. */
export async function anInvoice(app: TestApp): Promise<string> {
  const { json } = await app.send('POST', '/v1/invoices', {
    amount: 10,
    currency: 'USDC',
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
  })
  return json.data.id
}

async function aWebhook(app: TestApp): Promise<string> {
  const wanted = { url: 'https://hooks.example.com/x', events: ['invoice.settled'] }
  return (await app.send('POST', '/v1/webhooks', wanted)).json.data.id
}

async function aRevokedKey(app: TestApp): Promise<string> {
  const accountId = app.account.account.id
  const wanted = { accountId, kind: 'inv_', name: 'revoked', scopes: presets.full } as const
  const { id, key } = await issueKey(app.database.sql, wanted)
  await revokeKey(app.database.sql, accountId, id)
  return key
}
