import { beforeAll, describe, expect, test } from 'bun:test'
import { Transaction } from '@solana/web3.js'
import { decodeFunctionData, erc20Abi, type Hex } from 'viem'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { invoiceChains } from '../../../src/domain/network.ts'
import { registry } from '../../../src/domain/registry.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const payTo = 'J8ELDWzvcRrWUHqVLRc8zuSZqLGk5FY8d6pNdzq3cVNu'
const wallet = `0x${'ab'.repeat(20)}`
const { app, solana } = useWorld({
  chains: ['solana'],
  read: ['base', 'skale'],
  funded: [1],
  env: { BASE_WALLET: wallet, POLYGON_WALLET: wallet, SKALE_WALLET: wallet, SOLANA_WALLET: payTo },
})

async function create(chain: string) {
  const form = {
    amount: 12.5,
    currency: 'USDC',
    chain,
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
    sellerName: 'Grace',
  }
  return (await app.send('POST', '/v1/invoices', form)).json.data
}

const post = (id: string, body?: object) => app.keyless('POST', `/pay/${id}/transaction`, body)

describe('the transaction that a wallet signs comes from the service', () => {
  beforeAll(() =>
    eventually(async () => (await create('solana')).paymentDetails.accepting === true),
  )

  test.each(['base', 'skale'] as const)(
    'on %s: a transfer of what is left, with the reference after it, and what adds the chain',
    async (chain) => {
      const { id, paymentDetails } = await create(chain)
      const { status, json, headers } = await post(id)
      const { chainId } = registry[chain]
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(json).toMatchObject({ to: paymentDetails.usdcAddress, value: '0x0' })
      expect([Number(json.chainId), Number(json.chain.chainId)]).toEqual([
        chainId,
        chainId,
      ] as never)
      expect(json.data).toHaveLength(2 + 8 + 3 * 64)
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: json.data as Hex })
      expect(`${functionName} ${args}`.toLowerCase()).toBe(`transfer ${wallet},12500000`)
      expect(json.data).toEndWith(paymentDetails.reference.slice(2))
    },
  )

  test('every EVM chain can be added to a wallet that does not know it', () => {
    for (const chain of invoiceChains) {
      const { kind, publicRpcUrl, coin } = registry[chain]
      if (kind === 'evm') expect(publicRpcUrl).toStartWith('https://')
      expect(coin).toMatch(/^[A-Z]+$/)
    }
  })

  test('on Solana, by Solana Pay: a label and an icon, then the transfer with the reference as an account', async () => {
    const { id, paymentDetails } = await create('solana')
    const path = `/pay/${id}/transaction`
    const { label, icon } = (await app.keyless('GET', path)).json
    expect(label).toBe('Grace')
    const picture = await fetch(icon)
    expect(picture.headers.get('content-type')).toBe('image/svg+xml')
    const account = solana.wallet(1).publicKey.toBase58()
    const { status, json } = await post(id, { account })
    expect([status, json.message]).toEqual([200, expect.stringMatching(/^INV-/)])
    const { feePayer, instructions, recentBlockhash } = Transaction.from(
      Buffer.from(json.transaction, 'base64'),
    )
    expect([feePayer?.toBase58(), typeof recentBlockhash]).toEqual([account, 'string'])
    // The recipient has no token account yet: it is opened first.
    expect(instructions).toHaveLength(2)
    const keys = instructions[1]?.keys.map(({ pubkey }) => pubkey.toBase58()) ?? []
    const usdc = paymentDetails.usdcAddress
    expect(keys.slice(0, 4)).toEqual([
      associatedTokenAccount(account, usdc),
      usdc,
      associatedTokenAccount(payTo, usdc),
      account,
    ])
    expect(`0x${instructions[1]?.keys[4]?.pubkey.toBuffer().toString('hex')}`).toBe(
      paymentDetails.reference,
    )
  })

  test('refuses, and says why', async () => {
    const onSolana = await create('solana')
    const unread = await create('polygon')
    const { json: api } = await app.send('POST', `/api/invoices/${(await create('base')).id}/void`)
    const refusals = [
      await post(crypto.randomUUID()),
      await post(onSolana.id),
      await post(onSolana.id, { account: wallet }),
      await post(onSolana.id, {
        account: associatedTokenAccount(payTo, registry.solana.usdcAddress),
      }),
      await post(unread.id),
      await post(api.id),
    ].map(({ status, json }) => [status, json.error.code])
    expect(refusals).toEqual([
      [404, 'NOT_FOUND'],
      [400, expect.any(String)],
      [400, expect.any(String)],
      [400, expect.any(String)],
      [503, expect.any(String)],
      [409, expect.any(String)],
    ])
  })
})
