import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { issueKey, type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { createLog, type Log } from '../../src/telemetry/log.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'

export const testSecretsKey = 'ab'.repeat(32)
export const testWallet = '0x0000000000000000000000000000000000abcDeF'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

export type TestApp = {
  readonly app: App
  readonly url: string
  readonly database: TestDatabase
  readonly account: NewAccount
  readonly other: NewAccount
  /** With the account's `sk_` key unless `headers` override it. A string body is sent unchanged. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** With exactly these headers and no key. */
  keyless: TestApp['send']
  newAccount(plan?: 'free' | 'pro'): Promise<NewAccount>
  stop(): Promise<void>
}

export const testRates = {
  FX_RATES: 'EUR=1.08,GBP=1.27,SEK=0.095,DKK=0.145,PLN=0.25,CHF=1.13',
  FX_RATES_AS_OF: new Date().toISOString().slice(0, 10),
}

export function testEnv(
  databaseUrl: string,
  over: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: testSecretsKey,
    JWT_SECRET: testSecretsKey,
    BASE_WALLET: testWallet,
    ...(over.FX_SOURCE === undefined && testRates),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    ...over,
  }
}

export function requester(urlOf: () => string): TestApp['send'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(urlOf() + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    }
  }
}

/** The whole service in this process, on its own database and with two accounts. */
export async function testApp(
  over: Readonly<Record<string, string>> = {},
  database?: TestDatabase,
  log?: Log,
): Promise<TestApp> {
  database ??= await testDatabase()
  const config = readConfig(testEnv(database.url, over))
  const app = await startApp(config, log ?? createLog(config.logLevel))
  const limits = { perMinute: 100_000, perDay: 1_000_000 }
  const newAccount = (plan: 'free' | 'pro' = 'pro') =>
    openAccount(database.sql, keyFrom(testSecretsKey), {
      name: 'Test',
      plan,
      ...(plan === 'pro' && { limits }),
    })
  const account = await newAccount()
  const other = await newAccount()
  const url = app.url ?? ''
  const request = requester(() => url)
  return {
    app,
    url,
    database,
    account,
    other,
    newAccount,
    send: (method, path, body, headers) =>
      request(method, path, body, { 'x-api-key': account.v1Key, ...headers }),
    keyless: request,
    async stop() {
      await app.drain()
      await database?.drop()
    },
  }
}

/** Status and error code of a refusal. */
export function refused({ status, json }: Answer) {
  return [status, json.error?.code]
}

/** Issues another key for the app's account, limited to `scopes`, until `expiresAt`. */
export async function keyWith(
  app: TestApp,
  scopes: Parameters<typeof issueKey>[1]['scopes'],
  expiresAt: Date | null = null,
): Promise<string> {
  const wanted = { accountId: app.account.account.id, name: 'test', scopes, expiresAt } as const
  return (await issueKey(app.database.sql, { ...wanted, kind: 'sk_' })).key
}

/** Answers the invoice as `/v1` does. `over` holds the fields that matter. */
export async function createdInvoice(
  app: Pick<TestApp, 'send'>,
  over: object = {},
  key?: string,
): Promise<Answer['json']> {
  const customer = { customerName: 'Ada Example', customerEmail: 'ada@example.com' }
  const body = { amount: 12.5, currency: 'USDC', ...customer, ...over }
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key }
  return (await app.send('POST', '/v1/invoices', body, headers)).json.data
}

export async function anInvoice(...made: Parameters<typeof createdInvoice>): Promise<string> {
  return (await createdInvoice(...made)).id
}
