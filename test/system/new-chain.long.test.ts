import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { requester, testEnv } from '../support/app.ts'
import { hasBrowser, startBrowser } from '../support/browser.ts'
import { type EvmNode, startEvmNode, usdcOnBase } from '../support/evm-node.ts'
import { type Service, startService } from '../support/service.ts'
import { sourceCopy } from '../support/source-copy.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const row = `
  gnosis: evm({
    label: 'Gnosis Chain',
    explorer: 'https://gnosis.example/tx/',
    publicRpcUrl: 'https://rpc.gnosis.example',
    chainId: 100,
    usdcAddress: '${usdcOnBase}',
    confirmations: { blocks: 2, finalized: false },
  }),
`

const { database, account } = useWorld({ service: 'apart' })
let tree: string
let node: EvmNode
let service: Service
let invoiceId: string

beforeAll(async () => {
  tree = treeWith(row)
  node = await startEvmNode({ chainId: 100 })
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  const env = {
    GNOSIS_RPC_URL: node.url,
    GNOSIS_POLL_MS: '100',
    GNOSIS_WALLET: wallet,
    LOG_LEVEL: 'info',
  }
  service = await startService(testEnv(database.url, env), join(tree, 'src/main.ts'))
})
afterAll(async () => {
  await service?.stop()
  await node?.stop()
  rmSync(tree, { recursive: true, force: true })
})

/** A copy of the source whose table of chains has one more row. */
function treeWith(row: string): string {
  const copy = sourceCopy()
  const table = join(copy, 'src/domain/registry.ts')
  const text = readFileSync(table, 'utf8')
  const end = text.indexOf('\n}\n', text.indexOf('invoiceRows = {'))
  writeFileSync(table, text.slice(0, end) + row.trimEnd() + text.slice(end))
  return copy
}

test('the source with one more row compiles', async () => {
  for (const project of ['.', 'src/dashboard']) {
    const command = ['node_modules/.bin/tsc', '--noEmit', '-p', project]
    const tsc = Bun.spawn(command, { cwd: tree, stdout: 'pipe' })
    expect([await tsc.stdout.text(), await tsc.exited]).toEqual(['', 0])
  }
})

test('an invoice on the chain of the new row is settled', async () => {
  const made = await call('POST', '/v1/invoices', {
    amount: 12.5,
    currency: 'USDC',
    chain: 'gnosis',
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
  })
  invoiceId = made.id
  const { paymentAddress: to, reference } = made.paymentDetails
  expect(to).toBe(wallet)
  await node.transfer({ from: node.wallet(1).address, to, usdcBase: 12_500_000n, reference })
  await node.mine(1)
  await eventually(
    async () => (await call('GET', `/v1/invoices/${invoiceId}`)).status === 'SETTLED',
  )
})

describe.if(hasBrowser)('in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  test('the form offers the chain, and the payment links to its explorer', async () => {
    const page = await browser.newPage()
    await page.goto(`${service.url}/dashboard#/invoices/new`)
    await page.getByLabel('API key').fill(account.apiKey)
    await page.getByRole('button', { name: 'Log in' }).click()
    const option = page.getByLabel('Chain').locator('option[value="gnosis"]')
    expect(await option.textContent()).toBe('Gnosis Chain')
    await page.goto(`${service.url}/dashboard#/invoices/${invoiceId}`)
    const link = page.locator('a[href^="https://gnosis.example/tx/0x"]').first()
    await link.waitFor()
  })
})

async function call(method: string, path: string, body?: object) {
  const send = requester(() => service.url)
  return (await send(method, path, body, { 'x-api-key': account.v1Key })).json.data
}
