import { describe, expect, test } from 'bun:test'
import { callTool, post, rpc } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'
import { signedOrder } from '../../support/x402-buyer.ts'

const wanted = { issuer: 'Agent A', recipient: 'Agent B', amount: 12.5 }

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: ({ node }) => ({
    ROLE: 'http',
    TRUST_PROXY: 'true',
    BASE_WALLET: node.wallet(2).address,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(3).privateKey,
  }),
})

/** The members of a tool's result that these tests read. */
type Result = {
  readonly structuredContent: {
    readonly price?: string
    readonly error?: { readonly code: string }
  }
}

/** A signed payment as text, with `json` in its payload. */
const signedWith = (json: string) =>
  `{"x402Version":2,"accepted":{"scheme":"exact","network":"eip155:8453"},"payload":{"a":${json}}}`

describe('a paid tool on base', () => {
  test('demands its price, and delivers once for the proof of the official client', async () => {
    const unpaid = await callTool(app, 'service_create_invoice', wanted)
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { price: '0.01' } })
    const asText = await callTool(app, 'service_create_invoice', { ...wanted, amount: '12.50' })
    expect(asText.structuredContent).toMatchObject({ price: '0.01' })
    const { proof: x_payment } = await signedOrder(node.wallet(1), unpaid.structuredContent)
    const paid = await callTool(app, 'service_create_invoice', { ...wanted, x_payment })
    expect(paid.isError).toBeUndefined()
    expect(paid.structuredContent).toMatchObject({
      success: true,
      capability: 'invoice',
      result: { amount: 12.5 },
    })
    expect(paid._meta['x402/payment-response']).toMatchObject({
      success: true,
      network: 'eip155:8453',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    const again = await callTool(app, 'service_create_invoice', { ...wanted, x_payment })
    expect(again).toEqual(paid)
    const other = await callTool(app, 'service_create_invoice', { x_payment })
    expect(other.isError).toBe(true)
  })

  test('takes the proof from the metadata, and tells of an invoice', async () => {
    const bought = await callTool(app, 'service_create_invoice', wanted)
    const { payment } = await signedOrder(node.wallet(1), bought.structuredContent)
    const { json } = await rpc(app, 'tools/call', {
      name: 'service_create_invoice',
      arguments: wanted,
      _meta: { 'x402/payment': payment },
    })
    const invoice_id = json.result.structuredContent.result.id
    const unpaid = await callTool(app, 'service_settle_invoice', { invoice_id })
    expect(unpaid.structuredContent.price).toBe('0.005')
    const { proof: x_payment } = await signedOrder(node.wallet(1), unpaid.structuredContent)
    const paid = { invoice_id, x_payment }
    const { structuredContent } = await callTool(app, 'service_settle_invoice', paid)
    expect(structuredContent).toMatchObject({
      capability: 'settle',
      result: { invoiceId: invoice_id, settled: false, txHash: null },
    })
  })

  test('refuses what is wrong before it asks for money', async () => {
    const refused = [
      ['service_create_invoice', { amount: -1 }, 'INVALID_AMOUNT'],
      ['service_create_invoice', { amount: '1e3' }, 'INVALID_AMOUNT'],
      ['service_create_invoice', { currency: 'DOGE' }, 'INVALID_REQUEST'],
      ['service_settle_invoice', { invoice_id: crypto.randomUUID() }, 'NOT_FOUND'],
    ] as const
    for (const [name, args, code] of refused) {
      const result = await callTool(app, name, args)
      expect([result.isError, result.structuredContent.error.code]).toEqual([true, code])
    }
  })

  test('reads an amount as it is written, digits that a double does not hold included', async () => {
    const call = (amount: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"description":",}]","amount": ${amount} },"name":"service_create_invoice"}}`
    const said = ({ structuredContent: { price, error } }: Result) => error?.code ?? price
    const rows = [
      ['1.0000000000000000001', 'INVALID_AMOUNT'],
      ['12.34567800000000001', 'INVALID_AMOUNT'],
      ['0.30000000000000000000', 'INVALID_AMOUNT'],
      ['9007199254.740991', '0.01'],
      ['"12.50"', '0.01'],
    ] as const
    for (const [amount, expected] of rows)
      expect(said((await post(app, call(amount))).json.result), amount).toBe(expected)
    const batch = await post(app, `[${rows.map(([amount]) => call(amount)).join(' , ')}]`)
    const results = batch.json.map(({ result }: { result: Result }) => said(result))
    expect(results).toEqual(rows.map(([, expected]) => expected))
  })

  test.each([
    ['a text nested deeper than anybody can print', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['an object that is too large', { payload: 'x'.repeat(16_385) }],
  ])('says of %s in the metadata that it is no proof', async (_, payment) => {
    const { json } = await rpc(app, 'tools/call', {
      name: 'service_create_invoice',
      arguments: wanted,
      _meta: { 'x402/payment': typeof payment === 'string' ? signedWith(payment) : payment },
    })
    const message = '_meta["x402/payment"]: must be a payment of at most 16384 characters'
    const error = { code: 'INVALID_REQUEST', message }
    expect(json.result).toMatchObject({ isError: true, structuredContent: { error } })
  })

  test('serves the agent in examples/, from prices to a dispute', async () => {
    const script = Bun.fileURLToPath(new URL('../../../examples/agent.ts', import.meta.url))
    const agent = Bun.spawn([process.execPath, script], {
      env: {
        QUITTANCE_URL: app.url,
        QUITTANCE_KEY: app.account.v1Key,
        SIGNING_SECRET: app.account.signingSecret,
        PAYER_PRIVATE_KEY: node.wallet(1).privateKey,
      },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const [code, said] = await Promise.all([agent.exited, agent.stdout.text()])
    expect(code).toBe(0)
    expect(said).toMatch(
      /^prices .*\ninvoice \S+ 12.5 USDC\nmandate \S+ signed_by_both\ndispute disputed\n$/,
    )
  })
})
