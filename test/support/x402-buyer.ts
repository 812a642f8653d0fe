import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import { type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ContractWallet } from './contract-wallet.ts'
import type { Wallet } from './evm-node.ts'

/** The official client, paying on EVM chains from `wallet`. */
export function evmClient(wallet: Wallet | ContractWallet): x402Client {
  const signer = 'privateKey' in wallet ? privateKeyToAccount(wallet.privateKey) : wallet
  return new x402Client().register('eip155:*', new ExactEvmScheme(signer))
}

/**
 * Signs, with the official client, the payment on Base that a 402 asks of `wallet`. Answers the
 * headers that carry the payment, and its nonce.
 */
export async function signedPayment(
  wallet: Wallet,
  unpaid: { readonly headers: Headers },
): Promise<{ headers: Record<string, string>; nonce: Hex }> {
  const client = new x402HTTPClient(evmClient(wallet))
  const required = client.getPaymentRequiredResponse((name) => unpaid.headers.get(name), undefined)
  const payment = await client.createPaymentPayload(required)
  const { nonce } = payment.payload.authorization as { nonce: Hex }
  return { headers: client.encodePaymentSignatureHeader(payment), nonce }
}

/** Pays the service's own endpoint; `demand` is what its 402 says. `proof` is base64. */
export async function signedOrder(wallet: Wallet | ContractWallet, demand: object) {
  const payment = await evmClient(wallet).createPaymentPayload({
    ...demand,
    error: undefined,
  } as never)
  return { payment, proof: Buffer.from(JSON.stringify(payment)).toString('base64') }
}

/** The header that shows a transfer made before, which its sender has signed for by this text. */
export async function transferShown(
  { address: payer, privateKey }: Wallet,
  txHash: string,
  message = txHash,
): Promise<Record<string, string>> {
  const signature = await privateKeyToAccount(privateKey).signMessage({ message })
  return { 'payment-signature': JSON.stringify({ txHash, signature, payer }) }
}

/** As arguments for a node. */
export function permittedBy(from: Wallet, { payload }: { readonly payload: unknown }) {
  const { authorization } = payload as { authorization: { nonce: string; to: Hex; value: string } }
  const { nonce, to, value } = authorization
  const reference = toHex(BigInt(nonce), { size: 32 })
  return { from, to, usdcBase: BigInt(value), reference }
}
