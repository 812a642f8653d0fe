import { describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { anInvoice, refused, testWallet } from '../../support/app.ts'
import { noticed } from '../../support/claims.ts'
import {
  installCode,
  installContractWallet,
  transferFrom,
  undeployedWallet,
} from '../../support/contract-wallet.ts'
import { useWorld } from '../../support/world.ts'

const { app, node, relay } = useWorld({
  chains: ['base'],
  relayed: true,
  funded: [1],
  env: { BASE_CONFIRMATIONS: '1', BASE_WALLET: testWallet, TRUST_PROXY: 'true' },
})

type Signer = { readonly address: Hex; signMessage(message: string): Promise<Hex> }

const wallets = {
  deployed: () => installContractWallet(node, { owner: node.wallet(3) }),
  'not deployed yet': () => undeployedWallet(node, node.wallet(4)),
  hostile: () => installContractWallet(node, { owner: node.wallet(3), gasBurnt: 1_000_000_000 }),
} satisfies Record<string, () => Promise<Signer>>

/** The wallet pays another amount than is due, so that only a claim can credit it. */
async function paidBy(wallet: Signer, isNoticed = true) {
  const invoiceId = await anInvoice(app, { amount: '7.00' })
  const txHash = await transferFrom(node, wallet.address, { to: testWallet, usdcBase: 7_654_321n })
  await node.mine(1)
  if (isNoticed) await noticed(app.database.sql, txHash)
  const sign = (other = invoiceId, by = wallet) =>
    by.signMessage(payerStatement({ subject: { invoiceId: other }, chain: 'base', txHash }))
  const claim = async (signature: string) =>
    app.keyless('POST', `/v1/public/invoices/${invoiceId}/claim`, {
      txHash,
      signature,
      payer: wallet.address,
    })
  return { claim, sign }
}

describe('a claim by a contract wallet', () => {
  test.each(['deployed', 'not deployed yet'] as const)('that is %s is credited', async (kind) => {
    const { claim, sign } = await paidBy(await wallets[kind]())
    const { status, json } = await claim(await sign())
    expect([status, json.data.status, json.data.invoiceStatus]).toEqual([
      200,
      'credited',
      'SETTLED',
    ])
  })

  test.each(['deployed', 'not deployed yet'] as const)(
    'that is %s and signed another text is 403, and credits nothing',
    async (kind) => {
      const { claim, sign } = await paidBy(await wallets[kind]())
      expect(refused(await claim(await sign(crypto.randomUUID())))).toEqual([
        403,
        'invalid_signature',
      ])
    },
  )

  test('by a stranger’s signature is 403', async () => {
    const { claim, sign } = await paidBy(await wallets.deployed())
    const stranger = await installContractWallet(node, { owner: node.wallet(5) })
    expect(refused(await claim(await sign(undefined, stranger)))).toEqual([
      403,
      'invalid_signature',
    ])
  })

  test.each<[string, () => Promise<Signer>]>([
    ['burns all the gas it gets', wallets.hostile],
    ['never ends', () => installCode(node, { code: '0x5b600056', owner: node.wallet(3) })],
    ['reverts', () => installCode(node, { code: '0x60006000fd', owner: node.wallet(3) })],
    // 128 KiB of zeros.
    [
      'answers at length',
      () => installCode(node, { code: '0x620200006000f3', owner: node.wallet(3) }),
    ],
    [
      'reverts at length',
      () => installCode(node, { code: '0x620200006000fd', owner: node.wallet(3) }),
    ],
    ['destroys itself', () => installCode(node, { code: '0x6000ff', owner: node.wallet(3) })],
  ])('that %s is 403, soon', async (_, install) => {
    const { claim, sign } = await paidBy(await install())
    const signature = await sign()
    const sinceMs = performance.now()
    expect(refused(await claim(signature))).toEqual([403, 'invalid_signature'])
    expect(performance.now() - sinceMs).toBeLessThan(4_000)
  })

  test.each([
    ['refuses', '0x60006000fd'],
    // ERC-1271's yes, to everything.
    ['says yes to all', '0x631626ba7e60e01b60005260206000f3'],
  ] as const)('of an EIP-7702 account is by its key only, where its code %s', async (_, answer) => {
    const owner = node.wallet(6)
    const lent = await installCode(node, { code: answer, owner })
    const code: Hex = `0xef0100${lent.address.slice(2)}`
    const account = await installCode(node, { code, address: owner.address as Hex, owner })
    const { claim, sign } = await paidBy(account)
    const stranger = await installContractWallet(node, { owner: node.wallet(5) })
    expect(refused(await claim(await sign(undefined, stranger)))).toEqual([
      403,
      'invalid_signature',
    ])
    expect((await claim(await sign())).json.data.status).toBe('credited')
  })

  test('is 503 where no node answers, and can be repeated', async () => {
    const { claim, sign } = await paidBy(await wallets.deployed())
    const signature = await sign()
    relay.misbehave(() => new Response('away', { status: 502 }))
    const refusal = await claim(signature)
    expect(refused(refusal)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(refusal.headers.get('retry-after')).toBe('5')
    relay.behave()
    expect((await claim(signature)).status).toBe(200)
  })
})
