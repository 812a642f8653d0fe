import { expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { depositXpub, walletAddress } from '../support/deposit-key.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const solanaWallet = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
const ownWallet = '0x00000000000000000000000000000000000000cc'

const { node, app } = useWorld({
  chains: ['base'],
  funded: [1],
  env: {
    PAYMENT_ADDRESS_MODE: 'per_invoice',
    DEPOSIT_XPUB: depositXpub,
    BASE_CONFIRMATIONS: '2',
    SOLANA_WALLET: solanaWallet,
  },
})

function create(over: object = {}, headers: Record<string, string> = {}) {
  const body = {
    amount: 12.5,
    currency: 'USDC',
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
    ...over,
  }
  return app.send('POST', '/v1/invoices', body, headers)
}

function filled(...words: string[]) {
  return quittance(testEnv(app.database.url), 'deposits', 'list', ...words)
}

async function details(id: string) {
  return (await app.send('GET', `/v1/invoices/${id}`)).json.data.paymentDetails
}

test('every invoice on an EVM chain has the next account of the operator’s wallet as its address, whatever the chain', async () => {
  const created = []
  for (const chain of ['base', 'polygon', 'base']) created.push((await create({ chain })).json.data)
  const addresses = created.map(({ paymentDetails }) => paymentDetails.paymentAddress)
  expect(addresses).toEqual([0, 1, 2].map(walletAddress))
  for (const { paymentDetails } of created)
    expect(paymentDetails.paymentUri).toContain(`address=${paymentDetails.paymentAddress}`)
})

test('a request that is repeated is answered with the same address', async () => {
  const [first, again] = [
    await create({}, { 'idempotency-key': 'once' }),
    await create({}, { 'idempotency-key': 'once' }),
  ]
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
})

test('invoices made at the same moment have different addresses', async () => {
  const created = await Promise.all(Array.from({ length: 30 }, () => create()))
  const addresses = created.map(({ json }) => json.data.paymentDetails.paymentAddress)
  expect(new Set(addresses).size).toBe(30)
})

test('Solana, where payments carry a reference, and accounts with a wallet of their own keep one address', async () => {
  const solana = (await create({ chain: 'solana' })).json.data
  expect(solana.paymentDetails.paymentAddress).toBe(solanaWallet)
  const { v1Key } = await openAccount(app.database.sql, keyFrom(testSecretsKey), {
    name: 'Its own',
    plan: 'pro',
    wallets: { base: ownWallet },
  })
  const own = (await create({}, { 'x-api-key': v1Key })).json.data
  expect(own.paymentDetails.paymentAddress).toBe(ownWallet)
})

test('the payment page shows the address', async () => {
  const { id, paymentDetails } = (await create()).json.data
  const page = await app.keyless('GET', `/pay/${id}/status`)
  expect(page.text).toContain(paymentDetails.paymentAddress)
})

test('a plain transfer, as an exchange sends it, settles the invoice, though another account’s is due the same, and is where the operator finds it', async () => {
  const others = (await create({}, { 'x-api-key': app.other.v1Key })).json.data
  const { id, paymentDetails } = (await create()).json.data
  const from = node.wallet(1).address
  await node.transfer({ from, to: paymentDetails.paymentAddress, usdcBase: 12_500_000n })
  await node.mine(3)
  await eventually(async () => (await details(id)).matchedBy !== undefined)
  expect(await details(id)).toMatchObject({ matchedBy: 'address', amountReceived: '12.50' })
  const untouched = await app.send('GET', `/v1/invoices/${others.id}`, undefined, {
    'x-api-key': app.other.v1Key,
  })
  expect(untouched.json.data).toMatchObject({ status: 'PENDING' })
  const { json, text } = await filled('--json')
  const [{ index }] = json
  const address = walletAddress(index).toLowerCase()
  expect(json).toEqual([{ index, chain: 'base', address, invoiceId: id, received: '12.50' }])
  expect(address).toBe(paymentDetails.paymentAddress.toLowerCase())
  expect(text).not.toContain(others.id)
  expect((await filled('--from', `${index + 1}`, '--json')).json).toEqual([])
  expect((await filled()).text).toBe(`0/${index}  base  ${address}  12.50 USDC  invoice ${id}\n`)
})
