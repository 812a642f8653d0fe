import { beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anInvoice, keyWith } from '../support/app.ts'
import { blocksOf, printed, shellOf } from '../support/documentation.ts'
import { transferCall } from '../support/evm-node.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** The examples of the quickstarts, run as written. */

const rest = 'docs/quickstart-rest.md'
const agent = 'docs/quickstart-agent.md'
const bun = [process.execPath, '-'] as const

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: ({ node }) => ({
    BASE_WALLET: node.wallet(2).address,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(3).privateKey,
  }),
})
let env: Record<string, string>

beforeAll(() => {
  env = {
    QUITTANCE_URL: app.url,
    QUITTANCE_KEY: app.account.v1Key,
    SIGNING_SECRET: app.account.signingSecret,
    PAYER_PRIVATE_KEY: node.wallet(1).privateKey,
    RPC_URL: node.url,
  }
})

test('REST: the commands create an invoice, read it, fetch its documents and are refused', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-docs-'))
  try {
    const output = await printed(['sh', '-eu'], await shellOf(rest), env, directory)
    const id = /invoice ([0-9a-f-]{36})/.exec(output)?.[1] ?? ''
    expect(readdirSync(directory).sort()).toEqual([`${id}.html`, `${id}.pdf`, `${id}.xml`])
    expect(output).toContain('"code":"INVALID_AMOUNT"')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('REST: the program pays an invoice, which settles by its reference', async () => {
  const { txHash, invoice } = await paid()
  expect(invoice.paymentDetails).toMatchObject({ txHash, matchedBy: 'reference' })
})

test('API by example: every command prints what the page says', async () => {
  const free = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('for free') })
  const { receiptId } = (await paid()).invoice
  const own = { OPERATOR_KEY: await keyWith(app, ['admin']), RECEIPT_ID: receiptId }
  const given = { ...env, ...own, TARGET_URL: free.url.href }
  const output = await printed(['sh', '-eu'], await shellOf('docs/api.md'), given)
  await free.stop(true)
  for (const said of [
    '"total":119000',
    '"status":"sent"',
    '"status":"failed"',
    'seller_vat_missing',
    '"code":"IDEMPOTENCY_KEY_REUSED"',
    '"description":"Standard VAT DE (19%)"',
    '"standard":25.5',
    '"code":"BUDGET_EXCEEDED"',
    '"code":"FORBIDDEN"',
    '"byCountry"',
    '"active":false',
    '"claims"',
    '"x402Version":1',
    'for free',
  ])
    expect(output).toContain(said)
})

test('API by example: the program claims a transfer without a reference', async () => {
  const id = await anInvoice(app, { chain: 'base' })
  const { address: from } = node.wallet(1)
  const txHash = await node.transfer({ from, to: node.wallet(2).address, usdcBase: 7_770_000n })
  const [program = ''] = await blocksOf('docs/api.md', 'ts')
  const given = { ...env, INVOICE_ID: id, TX_HASH: txHash }
  expect(await printed(bun, program, given)).toMatch(/^(?:200 credited|202 pending)\n$/)
  await node.mine(6)
  const read = async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data
  await eventually(async () => (await read()).paymentDetails.amountReceived === '7.77')
})

test('API by example: the program buys an invoice for a transfer it made', async () => {
  const { address: from } = node.wallet(1)
  const txHash = await node.transfer({ from, to: node.wallet(2).address, usdcBase: 10_000n })
  const [, program = ''] = await blocksOf('docs/api.md', 'ts')
  expect(await printed(bun, program, { ...env, TX_HASH: txHash })).toMatch(/^200 [0-9a-f-]{36}\n$/)
})

test('API by example: the program prints a refused claim', async () => {
  const [program = ''] = await blocksOf('docs/api.md', 'ts')
  const unknown = { INVOICE_ID: crypto.randomUUID(), TX_HASH: `0x${'5a'.repeat(32)}` }
  const output = await printed(bun, program, { ...env, ...unknown })
  expect(output).toMatch(/^404 /)
  expect(output).toContain('NOT_FOUND')
})

test('API by example: the program that buys waits for its transfer’s block, and prints a refusal', async () => {
  const { address: from } = node.wallet(1)
  const [, program = ''] = await blocksOf('docs/api.md', 'ts')
  const front = await sellingBeforeItsBlock()
  try {
    const data = transferCall({ to: node.wallet(2).address, usdcBase: 10_000n })
    const txHash = await node.submit({ from, to: node.usdc, data })
    const given = { ...env, QUITTANCE_URL: front.url, TX_HASH: txHash }
    expect(await printed(bun, program, given)).toMatch(/^200 [0-9a-f-]{36}\n$/)
    expect(front.answered).toEqual([402, 202, 200])
    const another = { ...given, PAYER_PRIVATE_KEY: node.wallet(4).privateKey }
    expect(await printed(bun, program, another)).toMatch(/^40[29] /)
  } finally {
    await front.stop()
  }
})

/** A front of what is sold, behind which the next block is made once somebody is told to wait. */
async function sellingBeforeItsBlock() {
  const answered: number[] = []
  await node.rpc('evm_setAutomine', [false])
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const answer = await fetch(`${app.url}/api/x402/invoice`, {
        method: 'POST',
        headers: request.headers,
        body: await request.text(),
      })
      answered.push(answer.status)
      if (answer.status === 202) await node.rpc('evm_setAutomine', [true])
      if (answer.status === 202) await node.mine(1)
      return answer
    },
  })
  return {
    url: front.url.origin,
    answered,
    async stop() {
      await node.rpc('evm_setAutomine', [true])
      await front.stop(true)
    },
  }
}

/**
 * An invoice paid by the page's program, once it is settled, and the transaction's hash. It is paid
 * once for all tests.
 */
function paid() {
  payment ??= pay()
  return payment
}
let payment: ReturnType<typeof pay> | undefined

async function pay() {
  const id = await anInvoice(app, { chain: 'base' })
  const [program = ''] = await blocksOf(rest, 'ts')
  const txHash = (await printed(bun, program, { ...env, INVOICE_ID: id })).trim()
  await node.mine(6)
  const read = async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data
  await eventually(async () => (await read()).status === 'SETTLED')
  return { txHash, invoice: await read() }
}

test('agents: the commands list tools, spend from a budget and sign a mandate', async () => {
  const output = await printed(['sh', '-eu'], await shellOf(agent), env)
  expect(output).toContain('service_create_invoice')
  expect(output).toContain('"spent":12500000')
  expect(output).toContain('"state":"signed_by_both"')
})

test('agents: the program buys an invoice', async () => {
  const [program = ''] = await blocksOf(agent, 'ts')
  expect(await printed(bun, program, env)).toMatch(/^invoice [0-9a-f-]{36}\n$/)
})

// The two before it are run in test/clients, which has the packages of version 1.
test('agents: the program over HTTP pays once, however long its payment takes', async () => {
  const [, , , program = ''] = await blocksOf(agent, 'ts')
  const { address } = node.wallet(3)
  const settled = async () => Number(await node.rpc('eth_getTransactionCount', [address, 'latest']))
  const before = await settled()
  const front = await sellingBeforeItsBlock()
  try {
    const output = await printed(bun, program, { ...env, QUITTANCE_URL: front.url })
    expect(output).toMatch(/^200 [0-9a-f-]{36}\n$/)
    expect(front.answered).toEqual([402, 202, 200])
    expect((await settled()) - before).toBe(1)
  } finally {
    await front.stop()
  }
})
