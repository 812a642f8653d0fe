import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Wallet } from './evm-node.ts'

/** A payment by `wallet` of what a 402 asks on Base, signed by the official client: the headers that carry it, and its nonce. */
export async function signedPayment(
  wallet: Wallet,
  unpaid: { readonly headers: Headers },
): Promise<{ headers: Record<string, string>; nonce: Hex }> {
  const scheme = new ExactEvmScheme(toClientEvmSigner(privateKeyToAccount(wallet.privateKey)))
  const client = new x402HTTPClient(new x402Client().register('eip155:8453', scheme))
  const required = client.getPaymentRequiredResponse((name) => unpaid.headers.get(name), undefined)
  const payment = await client.createPaymentPayload(required)
  const { nonce } = payment.payload.authorization as { nonce: Hex }
  return { headers: client.encodePaymentSignatureHeader(payment), nonce }
}
