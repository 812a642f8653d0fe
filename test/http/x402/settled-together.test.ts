import { beforeEach, expect, test } from 'bun:test'
import { concat, type Hex } from 'viem'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import { listTransfers } from '../../../src/storage/settlement/transfer-lists.ts'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { testWallet } from '../../support/app.ts'
import { aTxHash, signedClaim } from '../../support/claims.ts'
import { useFacilitator } from '../../support/facilitator.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { baseBy, testWatcher } from '../../support/watcher.ts'
import { permittedBy } from '../../support/x402-buyer.ts'
import { priceUsdcBase, publicUrl, useSeller } from '../../support/x402-seller.ts'

/** One transaction settles payments of two unrelated wallets: anybody can submit both together. */

const dueUsdcBase = 1_000_000n
const accountId = '0190a000-0000-7000-8000-000000000001'

const facilitator = useFacilitator()
const env = { ROLE: 'http', PUBLIC_URL: publicUrl, X402_FACILITATOR_URL: facilitator.url }
const { app, node, signed, payBy } = useSeller(facilitator.url, { funded: [1, 2], env })
let watch: ReturnType<typeof testWatcher>

beforeEach(async () => {
  watch = testWatcher(app.database.sql, { chain: baseBy(node) })
  await watch.step()
})

const buyer = () => node.wallet(1)
const customer = () => node.wallet(2)

/** Another seller's invoice, and `bring`, which pays it and an order in one transaction. */
async function unrelated(reference: 'named' | 'unnamed' = 'named') {
  const { sql } = app.database
  const { id, terms } = await storedInvoice(sql, accountId, { payTo: testWallet, dueUsdcBase })
  const to = testWallet.toLowerCase()
  const bring = async (nonce: Hex): Promise<Hex> => {
    // Without a reference the amount must fit no invoice, or it could pay one after all.
    const [named, usdcBase] =
      reference === 'named' ? [terms.reference, dueUsdcBase] : [aTxHash(), dueUsdcBase + 1n]
    const calls = await Promise.all([
      node.signedAuthorization({ from: buyer(), to, usdcBase: priceUsdcBase, reference: nonce }),
      node.signedAuthorization({ from: customer(), to, usdcBase, reference: named }),
    ])
    const relayer = await installRelayer(node)
    return node.send({ from: node.wallet(7).address, to: relayer, data: concat(calls) })
  }
  const state = async () => (await loadMany(sql, [id]))[0]?.state
  return { id, bring, state }
}

/** Has the facilitator settle by what `settle` does with a payment's nonce. */
function settleBy(settle: (nonce: Hex) => Promise<Hex>): void {
  facilitator.settle = async (payment) => {
    const transaction = await settle(permittedBy(buyer(), payment).reference)
    const about = { network: 'eip155:8453', payer: buyer().address }
    return Response.json({ success: true, transaction, ...about })
  }
}

test('a transfer that is presented by its sender leaves the other’s to the invoice that it names', async () => {
  const { bring, state } = await unrelated()
  const txHash = await bring(aTxHash())
  expect((await payBy(txHash)).status).toBe(200)
  await watch.step()
  expect(await state()).toBe('settled')
})

test('a transfer that is presented buys although the other’s has paid its invoice before', async () => {
  const { bring, state } = await unrelated()
  const txHash = await bring(aTxHash())
  await watch.step()
  expect(await state()).toBe('settled')
  const first = await payBy(txHash)
  expect(first.status).toBe(200)
  expect((await payBy(txHash)).text).toBe(first.text)
})

test.each(['before', 'after'])(
  'a signed payment buys, and the other’s payment settles its invoice %s the facilitator answers',
  async (when) => {
    const { bring, state } = await unrelated()
    settleBy(async (nonce) => {
      const txHash = await bring(nonce)
      if (when === 'before') await watch.step()
      return txHash
    })
    expect(await (await signed()).status()).toBe(200)
    await watch.step()
    expect(await state()).toBe('settled')
  },
)

test('what the other sent and named no invoice is listed as unmatched, and his to claim', async () => {
  const { id, bring, state } = await unrelated('unnamed')
  const txHash = await bring(aTxHash())
  expect((await payBy(txHash)).status).toBe(200)
  await watch.step()
  const query = { status: 'unmatched', chain: null, after: null, limit: 100, offset: 0 } as const
  const { transfers } = await listTransfers(app.database.sql, query)
  const listed = transfers.filter((transfer) => transfer.txHash === txHash)
  expect(listed.map(({ from }) => from)).toEqual([customer().address.toLowerCase()])
  const { privateKey } = customer()
  const proof = await signedClaim({ invoiceId: id, txHash, privateKey })
  const claimed = await app.keyless('POST', `/v1/public/invoices/${id}/claim`, proof)
  expect([claimed.status, await state()]).toEqual([200, 'settled'])
})

test('each buys by what he sent, and neither by the other’s', async () => {
  const { bring } = await unrelated('unnamed')
  const txHash = await bring(aTxHash())
  const answers = [await payBy(txHash), await payBy(txHash, customer())]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect((await payBy(txHash, node.wallet(3))).status).toBe(402)
})
