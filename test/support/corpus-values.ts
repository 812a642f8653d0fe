import { privateKeyToAccount } from 'viem/accounts'
import { presets } from '../../src/domain/accounts/scopes.ts'
import { payerStatement } from '../../src/domain/settlement/payer-statement.ts'
import { issueKey } from '../../src/operator/accounts.ts'
import { revokeKey } from '../../src/storage/accounts/api-keys.ts'
import { anInvoice, keyWith, type TestApp, testSecretsKey } from './app.ts'
import type { Values } from './corpus.ts'
import { forgedTokens } from './forged-tokens.ts'
import { signatureOf } from './mandate.ts'
import { aMandate } from './mandates.ts'
import { madeInTime, passed } from './wait.ts'

/** The values for the corpus's placeholders, after creating one example of each in this app. */
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
    X_PAYMENT_UNDERPAID: aProof({ amount: '9999' }),
    X_PAYMENT_WRONG_TOKEN: aProof({ asset: '0x00000000000000000000000000000000000000fa' }),
    ...(await somePayments(app.url)),
    ...(await someMandates(app)),
    ...(await forgedTokens(token.json.data.token, testSecretsKey)),
  }
}

/** With terms the service never offered. */
function aProof(accepted: { readonly amount?: string; readonly asset?: string }): string {
  const asked = { scheme: 'exact', network: 'eip155:8453', amount: '10000', ...accepted }
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted: asked, payload: {} })).toString(
    'base64',
  )
}

/** A mandate in each state, the right signature of the proposed one and near misses. */
async function someMandates(app: TestApp): Promise<Values> {
  const { id, canonical, signature } = await aMandate(app, [])
  const disputed = await aMandate(app)
  await app.send('POST', `/v1/mandates/${disputed.id}/dispute`, { reason: 'late' })
  const completed = await aMandate(app)
  await app.send('POST', `/v1/mandates/${completed.id}/complete`)
  const { made: expired, endsAt } = await madeInTime((at) =>
    aMandate(app, ['proposer'], at.toISOString()).catch(() => null),
  )
  await passed(endsAt)
  const foreign = { ...app, account: app.other, send: sendAs(app, app.other.v1Key) }
  const secret = app.account.signingSecret
  const unsorted = canonical.replace('"a":1,"b":2', '"b":2,"a":1')
  return {
    MND_PROPOSED: id,
    MND_PROPOSED_UPPER: `mnd_${id.slice(4).toUpperCase()}`,
    MND_SIGNED_BY_PROPOSER: (await aMandate(app, ['proposer'])).id,
    MND_BOTH: (await aMandate(app)).id,
    MND_DISPUTED: disputed.id,
    MND_COMPLETED: completed.id,
    MND_EXPIRED: expired.id,
    OTHER_TENANT_MND: (await aMandate(foreign)).id,
    VALID_SIG: signature,
    VALID_SIG_63: signature.slice(1),
    VALID_SIG_FLIP1: (signature.startsWith('0') ? '1' : '0') + signature.slice(1),
    VALID_SIG_BASE64: Buffer.from(signature, 'hex').toString('base64'),
    SIG_OTHER_MANDATE: completed.signature,
    SIG_OTHER_SECRET: signatureOf(canonical, app.other.signingSecret),
    SIG_KEYS_UNSORTED: signatureOf(unsorted, secret),
    SIG_WITH_CONTEXT: signatureOf(`{"context":{},${canonical.slice(1)}`, secret),
  }
}

/** Proofs of transfers that do not exist, correctly signed except `BAD_SIG`. */
async function somePayments(url: string): Promise<Values> {
  const named = 'TX_UNKNOWN TX_OTHER_RECIPIENT TX_OTHER_TOKEN TX_OLD BAD_SIG UNDERPAID USED'.split(
    ' ',
  )
  const account = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
  const resource = `${url}/api/x402/invoice`
  const proofs = named.map(async (name, at) => {
    const txHash = `0x${`${at}a`.repeat(32)}`
    const statement = payerStatement({ subject: { resource }, chain: 'base', txHash })
    const message = name === 'BAD_SIG' ? 'something else' : statement
    const signature = await account.signMessage({ message })
    const proof = JSON.stringify({ txHash, signature, payer: account.address })
    return [`PROOF_${name}`, Buffer.from(proof).toString('base64')]
  })
  return Object.fromEntries(await Promise.all(proofs))
}

function sendAs(app: TestApp, key: string): TestApp['send'] {
  return (method, path, body) => app.keyless(method, path, body, { 'x-api-key': key })
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
