import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import type { SolanaNode } from '../../support/solana-node.ts'
import { solanaClient } from '../../support/solana-payer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { demandIn } from '../../support/x402-seller.ts'

/**
 * A remote facilitator, built with the official package, that pays fees from two wallets and names
 * the other one each time it is asked; and two processes of the service, which so know different
 * ones.
 */

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

let facilitator: Bun.Server<undefined>
let urls: readonly string[]
const {
  app,
  solana: node,
  startHere,
} = useWorld({
  chains: ['solana'],
  funded: [0, 1],
  async env({ solana }) {
    facilitator = await startFacilitator(solana)
    return {
      ROLE: 'http',
      SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
      X402_FACILITATOR_URL: facilitator.url.href,
    }
  },
})

beforeAll(async () => {
  urls = [app.url, `${(await startHere()).url}`]
})
afterAll(() => facilitator.stop(true))

async function startFacilitator(node: SolanaNode): Promise<Bun.Server<undefined>> {
  const signers = await Promise.all(
    [2, 3].map(async (index) => {
      const key = await createKeyPairSignerFromBytes(node.wallet(index).secretKey)
      return { address: key.address, ...toFacilitatorSvmSigner(key, { defaultRpcUrl: node.url }) }
    }),
  )
  const [first, second] = signers as [(typeof signers)[0], (typeof signers)[0]]
  const both: typeof first = {
    ...first,
    getAddresses: () => [first.address, second.address],
    signTransaction: (transaction, feePayer, on) =>
      (feePayer === first.address ? first : second).signTransaction(transaction, feePayer, on),
  }
  const settling = new x402Facilitator().register(network, new ExactSvmScheme(both))
  let asked = 0
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/supported') {
        const { kinds, ...others } = settling.getSupported()
        const feePayer = both.getAddresses()[asked++ % 2]
        return Response.json({
          kinds: kinds.map((kind) => ({ ...kind, extra: { feePayer } })),
          ...others,
        })
      }
      const { paymentPayload, paymentRequirements } = (await request.json()) as never
      return Response.json(
        pathname === '/verify'
          ? await settling.verify(paymentPayload, paymentRequirements)
          : await settling.settle(paymentPayload, paymentRequirements),
      )
    },
  })
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/x402/invoice`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  })
  const { status } = response
  return { status, json: (status === 402 ? demandIn(response) : null) as Demand }
}

type Demand = { readonly accepts: readonly { network: string; extra: { feePayer: string } }[] }

async function solanaOption(url: string) {
  return (await ask(url)).json.accepts.find((one) => one.network === network)
}

test('a payment is settled by the process that did not name its fee payer', async () => {
  await eventually(async () => (await Promise.all(urls.map(solanaOption))).every(Boolean))
  const named = await Promise.all(
    urls.map(async (url) => (await solanaOption(url))?.extra.feePayer),
  )
  expect(new Set(named).size).toBe(2)
  const client = await solanaClient(node.url, node.wallet(0))
  for (const [asked, paid] of [urls, urls.toReversed()]) {
    const { json } = await ask(asked ?? '')
    const required = { ...json, accepts: [await solanaOption(asked ?? '')] }
    const payload = await client.createPaymentPayload(required as never)
    const { status } = await ask(paid ?? '', { 'payment-signature': btoa(JSON.stringify(payload)) })
    expect(status).toBe(200)
  }
})

test('402 for one whose fee payer is none of the facilitator’s', async () => {
  const option = await solanaOption(app.url)
  const { json } = await ask(app.url)
  const client = await solanaClient(node.url, node.wallet(0))
  const extra = { feePayer: node.wallet(4).publicKey.toBase58() }
  const required = { ...json, accepts: [{ ...option, extra }] }
  const payload = await client.createPaymentPayload(required as never)
  const { status } = await ask(app.url, { 'payment-signature': btoa(JSON.stringify(payload)) })
  expect(status).toBe(402)
})
