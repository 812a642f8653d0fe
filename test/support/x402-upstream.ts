import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http'
import { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import type { EvmNode } from './evm-node.ts'

export type UpstreamRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** With a payment that its facilitator finds valid. */
export type Behaviour =
  | 'settle'
  | 'settle then fail'
  | 'settle then hang up'
  | 'settle then stall'
  | 'settle and lie'
  | 'deliver unsettled'
  | 'deliver and lie'
  | 'deliver and say nothing'
  | 'fail'
  | 'hang up'
  | 'refuse'
  | 'settle and refuse'

export type Upstream = {
  readonly url: string
  readonly requests: readonly UpstreamRequest[]
  readonly payTo: string
  behaviour: Behaviour
  /** Sends what was paid for, with a status; null: the paid resource. */
  handOver: ((response: ServerResponse) => void) | null
  /** Named by a lying answer. */
  lie: string
  stop(): Promise<void>
}

export const paidResource = Buffer.from([0, 255, 1, 254, ...Buffer.from('the résumé\r\n--')])
const network = 'eip155:8453'
/** A hash that no transaction has. */
const aHash = `0x${'a5'.repeat(32)}`

/** Built with the official packages. Asks 0.01 USDC, payable to wallet 5. */
export async function startUpstream(node: EvmNode, maxTimeoutSeconds = 60): Promise<Upstream> {
  const payTo = node.wallet(5).address
  const server = await resourceServer(node)
  const requirements = await server.buildPaymentRequirements({
    scheme: 'exact',
    network,
    payTo,
    price: '$0.01',
    maxTimeoutSeconds,
  })
  const requests: UpstreamRequest[] = []
  const upstream = {
    behaviour: 'settle' as Behaviour,
    handOver: null as Upstream['handOver'],
    lie: aHash,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(await recordOf(request))
    const header = request.headers['payment-signature']
    const resource = { url: `http://${request.headers.host}${request.url}` }
    const refuse = async (error: string) => {
      const required = await server.createPaymentRequiredResponse(requirements, resource, error)
      response.setHeader('payment-required', encodePaymentRequiredHeader(required))
      response.setHeader('content-type', 'application/json')
      response.writeHead(402).end('{}')
    }
    if (typeof header !== 'string' || upstream.behaviour === 'refuse')
      return refuse('Payment required')
    if (upstream.behaviour === 'hang up') return void request.socket.destroy()
    if (upstream.behaviour === 'fail') return void response.writeHead(500).end('broken')
    const payload = decodePaymentSignatureHeader(header)
    const matching = server.findMatchingRequirements(requirements, payload)
    if (!matching) return refuse('No matching requirements')
    if (upstream.behaviour === 'deliver unsettled' || upstream.behaviour === 'deliver and lie') {
      const transaction = upstream.behaviour === 'deliver and lie' ? upstream.lie : aHash
      const unsettled = { success: true, transaction, network: matching.network }
      response.setHeader('payment-response', encodePaymentResponseHeader(unsettled))
      return void response.writeHead(200).end(paidResource)
    }
    if (upstream.behaviour === 'deliver and say nothing')
      return void response.writeHead(200).end(paidResource)
    const verified = await server.verifyPayment(payload, matching)
    if (!verified.isValid) return refuse(verified.invalidReason ?? 'invalid')
    await deliver(request, response, payload, matching, refuse)
  }

  async function deliver(
    request: IncomingMessage,
    response: ServerResponse,
    payload: PaymentPayload,
    matching: PaymentRequirements,
    refuse: (error: string) => Promise<void>,
  ): Promise<void> {
    const settled = await server.settlePayment(payload, matching)
    if (!settled.success) return refuse(settled.errorReason ?? 'not settled')
    if (upstream.behaviour === 'settle then hang up') return void request.socket.destroy()
    if (upstream.behaviour === 'settle then fail') return void response.writeHead(500).end('broken')
    if (upstream.behaviour === 'settle and refuse') return refuse('Payment required')
    if (upstream.behaviour === 'settle then stall') return
    const transaction = upstream.behaviour === 'settle and lie' ? upstream.lie : settled.transaction
    response.setHeader('payment-response', encodePaymentResponseHeader({ ...settled, transaction }))
    response.setHeader('content-type', 'application/x-report')
    if (upstream.handOver) upstream.handOver(response)
    else response.writeHead(200).end(paidResource)
  }

  const listening = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${port}/report`,
    requests,
    payTo,
    async stop() {
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
    },
  })
}

async function recordOf(request: IncomingMessage): Promise<UpstreamRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url = '', headers } = request
  return { method, url, headers, body: Buffer.concat(chunks).toString() }
}

/** The official facilitator, which settles on Base as wallet 6. */
export function officialFacilitator(node: EvmNode): x402Facilitator {
  const account = privateKeyToAccount(node.wallet(6).privateKey)
  const client = createWalletClient({ account, chain: base, transport: http(node.url) }).extend(
    publicActions,
  )
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never)
  return new x402Facilitator().register(network, new FacilitatorScheme(signer))
}

async function resourceServer(node: EvmNode): Promise<x402ResourceServer> {
  const facilitator = officialFacilitator(node)
  const server = new x402ResourceServer({
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as never,
  }).register(network, new ServerScheme())
  await server.initialize()
  return server
}
