import { describe, expect, test } from 'bun:test'
import { presets } from '../../../src/domain/accounts/scopes.ts'
import { keyWith } from '../../support/app.ts'
import { aMandate } from '../../support/mandates.ts'
import { callTool, post, rpc, validatorOf } from '../../support/mcp.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })

const reason = 'The summary is missing half of the documents'
const call = (name: string, args: object = {}) => callTool(app, name, args)
const dispute = (args: object) => call('service_dispute_open', { reason, ...args })

/** A result's structured content, which must equal its text. */
// biome-ignore lint/suspicious/noExplicitAny: results of every shape
function saidBy(result: any) {
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  return result.structuredContent
}

describe('tools/list', () => {
  test('shows every tool with schemas, annotations, price and what to do on errors', async () => {
    const { tools } = (await rpc(app, 'tools/list', {})).json.result
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'service_create_invoice',
      'service_settle_invoice',
      'service_query_mandate',
      'service_dispute_open',
      'service_get_pricing',
      'service_get_trust_signals',
    ])
    for (const tool of tools) {
      expect(tool.description.length).toBeGreaterThan(200)
      expect(tool.description).toMatch(/Free|Costs/)
      expect(tool.description).toMatch(/Returns/)
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema.type).toBe('object')
      expect(tool.annotations.readOnlyHint).toBeBoolean()
      for (const property of Object.values<{ description?: string }>(tool.inputSchema.properties))
        expect(property.description).toMatch(/./)
    }
  })

  test('an invoice that is for sale is nowhere said to pay who buys it', async () => {
    const { tools } = (await rpc(app, 'tools/list', {})).json.result
    const [{ description, inputSchema }] = tools
    const { post } = (await app.keyless('GET', '/openapi.json')).json.paths['/api/x402/invoice']
    const { issuer } = post.requestBody.content['application/json'].schema.properties
    expect(description).toContain('to the operator of this service')
    expect(post.description).toContain('goes to the operator’s wallet')
    for (const one of [inputSchema.properties.issuer, issuer])
      expect(one.description).toMatch(/the operator (of this service )?is paid/)
  })

  test('has output schemas that fit answers and errors', async () => {
    const { tools } = (await rpc(app, 'tools/list', {})).json.result
    const { id } = await aMandate(app)
    const args = { mandate_id: id, invoice_id: id, reason, api_key: app.account.v1Key }
    for (const { name, outputSchema } of tools) {
      const fits = validatorOf(outputSchema)
      const results = [await call(name, args), await call(name, { ...args, mandate_id: 'nope' })]
      for (const result of results) expect(fits(saidBy(result)).errorMessage).toBeUndefined()
      expect(fits({}).valid).toBe(false)
    }
  })
})

describe('arguments that do not fit are an error of the tool', () => {
  const proof = 'must be a text of at most 16384 characters'
  const line = (most: number) =>
    `must be a text of 1 to ${most} characters without control characters`
  test.each([
    ['service_create_invoice', { issuer: '' }, `issuer: ${line(256)}`],
    ['service_create_invoice', { email: 'ada' }, 'email: must be an email address'],
    ['service_create_invoice', { amount: true }, 'amount: must be a number or a text'],
    ['service_create_invoice', { currency: 5 }, 'currency: must be a text'],
    ['service_create_invoice', { x_payment: {} }, `x_payment: ${proof}`],
    ['service_create_invoice', { x_payment: 'x'.repeat(16_385) }, `x_payment: ${proof}`],
    ['service_settle_invoice', { invoice_id: 5 }, 'invoice_id: must be a UUID'],
    ['service_settle_invoice', { invoice_id: 'INV-2026-0001' }, 'invoice_id: must be a UUID'],
    ['service_settle_invoice', {}, 'invoice_id: is required'],
    ['service_query_mandate', undefined, 'mandate_id: is required'],
    ['service_query_mandate', ['mnd_1'], 'arguments: must be an object'],
    ['service_query_mandate', { mandate_id: '' }, `mandate_id: ${line(256)}`],
    [
      'service_dispute_open',
      { mandate_id: 'm', api_key: 'k', reason: 'short' },
      'reason: must be a text of 10 to 4000 characters without control characters',
    ],
  ])('to %s: %p', async (name, args, problem) => {
    const { json } = await rpc(app, 'tools/call', { name, arguments: args })
    expect(json.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'INVALID_REQUEST', message: problem } },
    })
  })

  test('a tool that does not exist is an error of the protocol', async () => {
    const { json } = await rpc(app, 'tools/call', { name: 'nothing', arguments: {} })
    expect(json.error.code).toBe(-32_602)
  })

  test('the schema of an invoice’s id says UUID', async () => {
    const { json } = await rpc(app, 'tools/list')
    const shown = json.result.tools.find(
      ({ name }: { name: string }) => name === 'service_settle_invoice',
    )
    expect(shown.inputSchema.properties.invoice_id.format).toBe('uuid')
  })
})

describe('service_query_mandate', () => {
  test('answers what anybody may know, without a key', async () => {
    const { id } = await aMandate(app, ['proposer'])
    const said = saidBy(await call('service_query_mandate', { mandate_id: id }))
    expect(said).toEqual((await app.keyless('GET', `/v1/public/mandates/${id}`)).json)
    expect(said).toMatchObject({ id, state: 'signed_by_proposer', anchor_tx_hash: null })
  })

  test.each(['nope', '../dashboard/tax-summary', `mnd_${crypto.randomUUID()}`])(
    'of %s is an error of the tool',
    async (mandate_id) => {
      const result = await call('service_query_mandate', { mandate_id })
      expect(result.isError).toBe(true)
      expect(saidBy(result).error).toMatchObject({ code: 'mandate_not_found', status: 404 })
    },
  )
})

describe('service_dispute_open', () => {
  test('disputes like the REST route, and the trail knows the key', async () => {
    const { id } = await aMandate(app)
    const said = saidBy(await dispute({ mandate_id: id, api_key: app.account.v1Key }))
    const { data } = (await app.send('GET', `/v1/mandates/${id}`)).json
    const { disputed_at } = data
    expect(said).toEqual({ mandate_id: id, status: 'disputed', disputed_at, reason })
    expect(data.transitions.at(-1)).toMatchObject({
      metadata: { key_id: expect.any(String), reason },
      triggered_by: 'agent-tools',
    })
  })

  test.each([
    ['9 characters', '123456789'],
    ['ten blanks', ' '.repeat(10)],
    ['five emoji', '😀'.repeat(5)],
    ['blanks around nine', '  123456789  '],
  ])('with a reason of %s stores nothing', async (_, text) => {
    const { id } = await aMandate(app)
    const args = { mandate_id: id, reason: text, api_key: app.account.v1Key }
    const { json } = await rpc(app, 'tools/call', { name: 'service_dispute_open', arguments: args })
    expect(json.error?.code ?? json.result.isError).toBeOneOf([-32_602, true])
    const { structuredContent } = await call('service_query_mandate', { mandate_id: id })
    expect(structuredContent.state).toBe('signed_by_both')
  })

  test('of ten emoji is long enough', async () => {
    const { id } = await aMandate(app)
    const args = { mandate_id: id, reason: '😀'.repeat(10), api_key: app.account.apiKey }
    expect(saidBy(await dispute(args)).reason).toBe(args.reason)
  })

  test('says what is wrong with the key, the mandate or its state, in this order', async () => {
    const { id } = await aMandate(app, [])
    const readOnly = await keyWith(app, presets.read_only)
    const refusals = [
      [{ mandate_id: id, api_key: 'nope' }, 'UNAUTHORIZED'],
      [{ mandate_id: id, api_key: readOnly }, 'FORBIDDEN'],
      [{ mandate_id: 'nope', api_key: app.account.v1Key }, 'mandate_not_found'],
      [{ mandate_id: id, api_key: app.other.v1Key }, 'mandate_not_found'],
      [{ mandate_id: id, api_key: app.account.v1Key }, 'invalid_transition'],
    ] as const
    for (const [args, code] of refusals) {
      const result = await dispute(args)
      expect([result.isError, saidBy(result).error.code]).toEqual([true, code])
      expect(JSON.stringify(result)).not.toContain(args.api_key)
    }
  })

  test('counts as a request of the key', async () => {
    await earlyInAMinute()
    const free = await app.newAccount('free')
    const args = { mandate_id: 'nope', api_key: free.v1Key }
    for (let n = 0; n < 60; n++) await dispute(args)
    const { error } = saidBy(await dispute(args))
    expect([error.code, error.retry_after_seconds > 0]).toEqual(['RATE_LIMITED', true])
    const rest = await app.keyless('GET', '/v1/mandates', undefined, { 'x-api-key': free.v1Key })
    expect(rest.status).toBe(429)
  })

  test('runs beside others in a batch, once', async () => {
    const { id } = await aMandate(app)
    const args = { mandate_id: id, reason, api_key: app.account.v1Key }
    const params = { name: 'service_dispute_open', arguments: args }
    const call = { jsonrpc: '2.0', method: 'tools/call', params }
    const { json } = await post(
      app,
      [1, 2, 3].map((id) => ({ ...call, id })),
    )
    const failed = json.filter((one: { result: { isError?: boolean } }) => one.result.isError)
    expect(failed).toHaveLength(2)
  })
})

describe('sections', () => {
  const pricing = '/agent-tools/sections/pricing.json'
  const trust = '/agent-tools/sections/trust_signals.json'

  test('say what the tools say', async () => {
    for (const [path, name] of [
      [pricing, 'service_get_pricing'],
      [trust, 'service_get_trust_signals'],
    ] as const) {
      const { status, json } = await app.keyless('GET', path)
      expect([status, json]).toEqual([200, saidBy(await call(name))])
    }
  })

  test('have a price for every tool', async () => {
    const { tools } = (await app.keyless('GET', pricing)).json
    const listed = (await rpc(app, 'tools/list')).json.result.tools
    const names = tools.map(({ name }: { name: string }) => name)
    for (const { name } of listed) expect(names).toContain(name)
    const paid = { currency: 'USDC', payment: 'x402' }
    expect(tools).toContainEqual({ name: 'service_create_invoice', price: '0.01', ...paid })
    expect(tools).toContainEqual({ name: 'service_settle_invoice', price: '0.005', ...paid })
  })

  test('are answered 304 to a known ETag, also a weak one', async () => {
    for (const path of [pricing, trust]) {
      const { headers } = await app.keyless('GET', path)
      const etag = headers.get('etag') ?? ''
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await app.keyless('GET', path, undefined, { 'if-none-match': known })
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      }
      const changed = await app.keyless('GET', path, undefined, { 'if-none-match': '"other"' })
      expect(changed.status).toBe(200)
    }
  })
})
