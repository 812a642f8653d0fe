import { expect } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { serviceAccountId } from '../../src/domain/accounts/account.ts'
import { payerStatement } from '../../src/domain/settlement/payer-statement.ts'
import type { Answer, TestApp } from './app.ts'
import type { ContractWallet } from './contract-wallet.ts'
import type { Wallet } from './evm-node.ts'
import { useWorld, type Wants, type World } from './world.ts'
import { permittedBy, signedOrder } from './x402-buyer.ts'

export const path = '/api/x402/invoice'
export const order = { amount: 2.5 }
export const priceUsdcBase = 10_000n
/** Where a payer signs for the resource. */
export const publicUrl = 'https://pay.test'

/**
 * On its own Base node behind a relay. Wallet 1 has USDC; without `facilitatorUrl` wallet 8
 * settles.
 */
export function useSeller(facilitatorUrl?: string, wants: Wants = {}) {
  const world = useWorld({
    chains: ['base'],
    relayed: true,
    funded: [1],
    env: ({ node }) => ({ ROLE: 'http', ...settledBy(facilitatorUrl ?? node.wallet(8)) }),
    ...wants,
  })
  return { ...world, ...sellerIn(world) }
}

export function settledBy(facilitator: string | Wallet) {
  return typeof facilitator === 'string'
    ? { X402_FACILITATOR_URL: facilitator }
    : { FACILITATOR_EVM_PRIVATE_KEY: facilitator.privateKey }
}

export function sellerIn(world: Pick<World, 'app' | 'node'>) {
  /** As text or as it is to be written. */
  function pay(payment: string | object, body: object = order): Promise<Answer> {
    const header = typeof payment === 'string' ? payment : JSON.stringify(payment)
    return world.app.keyless('POST', path, body, { 'payment-signature': header })
  }

  /** By the official client, as wallet 1 by default. */
  async function signed(wallet: Wallet | ContractWallet = world.node.wallet(1)) {
    const demand = demandIn(await world.app.keyless('POST', path, order))
    const { payment, proof } = await signedOrder(wallet, demand)
    return {
      payment,
      pay: (body?: object) => pay(proof, body),
      status: async () => (await pay(proof)).status,
    }
  }

  /** As anybody can who has read it; with `over` another payment with the same nonce. */
  function bring(
    payment: { readonly payload: unknown },
    over: { to?: string; usdcBase?: bigint } = {},
  ): Promise<Hex> {
    const permitted = permittedBy(world.node.wallet(1), payment)
    return world.node.transferWithAuthorization({ ...permitted, ...over })
  }

  /** With a transfer that was made, as its payer signs for it. */
  async function payBy(txHash: string, payer = world.node.wallet(1)): Promise<Answer> {
    return pay(await transferPayload(txHash, payer))
  }

  return { pay, signed, bring, payBy }
}

/** With a transfer that was made, for the resource at `publicUrl`. */
export async function transferPayload(txHash: string, payer: Wallet, signer = payer) {
  const subject = { resource: publicUrl + path }
  const message = payerStatement({ subject, chain: 'base', txHash })
  const signature = await privateKeyToAccount(signer.privateKey).signMessage({ message })
  return { txHash, signature, payer: payer.address }
}

/** JSON in base64, as x402's headers hold it. */
export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** What a 402 demands of clients of version 2. */
export function demandIn({ headers }: Pick<Answer, 'headers'>) {
  return decoded(headers.get('payment-required'))
}

export function decoded(header: string | null) {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString())
}

/** How many invoices have been bought. */
export async function invoicesMade({ database }: Pick<TestApp, 'database'>): Promise<number> {
  const made = await database.sql`select from invoices where account_id = ${serviceAccountId}`
  return made.length
}

/**
 * Sends a payment five times at once and then once more, and expects that all who are served get
 * one answer, and the others are told to try again.
 */
export async function expectOneSale(pay: () => Promise<Answer>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 5 }, pay))
  const delivered = answers.filter(({ status }) => status === 200)
  expect(delivered.length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  const again = await pay()
  for (const { text } of delivered) expect([again.status, again.text]).toEqual([200, text])
}
