import { invoiceRows, registry } from './registry.ts'

/** A network on which USDC is watched. */
export type Network = keyof typeof registry
export const networks = Object.keys(registry) as readonly Network[]

/** A chain that an invoice may name. */
export type InvoiceChain = keyof typeof invoiceRows
export const invoiceChains = Object.keys(invoiceRows) as readonly InvoiceChain[]

/** Solana's CAIP-2 name holds 32 characters of its genesis hash. */
export function caip2Of(network: Network): string {
  const { chainId } = registry[network]
  return chainId === null ? 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' : `eip155:${chainId}`
}

/** Finds a network by its id, CAIP-2 name (x402 v2) or x402 v1 name. */
export function networkNamed(name: string): Network | undefined {
  return networks.find((network) =>
    [network, caip2Of(network), registry[network].x402V1Name].includes(name),
  )
}

/** Specification, `paymentDetails.settlementSource`. */
export type SettlementSource = 'evm-detector' | 'solana-detector'

/** The detector that watches a network. */
export function settlementSource(network: Network): SettlementSource {
  return network === 'solana' ? 'solana-detector' : 'evm-detector'
}

const evmAddress = /^0x[0-9a-fA-F]{40}$/
/** 32 bytes of hex: a transaction hash, a private key, a nonce. */
export const evmWord = /^0x[0-9a-fA-F]{64}$/

/** Whether `text` has the form of an address: 20 bytes on EVM, 32 on Solana. */
export function isAddress(network: Network, text: string): boolean {
  return network === 'solana' ? isSolanaAddress(text) : evmAddress.test(text)
}

/** Who sent a transfer: null for a mint, which on EVM chains the zero address sends. */
export function payerOf(from: string): string | null {
  return from === noSender.evm || from === noSender.solana ? null : from
}

/** What stands for the sender of a mint. */
export const noSender = { evm: `0x${'0'.repeat(40)}`, solana: '1'.repeat(32) } as const

/** Whether `text` has the form of a hash (EVM, 32 bytes) or a signature (Solana, 64 bytes). */
export function isTxHash(network: Network, text: string): boolean {
  return network === 'solana' ? isSolanaSignature(text) : evmWord.test(text)
}

/** Whether `text` has the form of a transaction's hash or signature on any network. */
export function isAnyTxHash(text: string): boolean {
  return evmWord.test(text) || isSolanaSignature(text)
}

/** The spelling by which addresses and hashes are compared: lower case on EVM chains only. */
export function addressKey(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address
}

function isSolanaAddress(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58Length(text) === 32
}

function isSolanaSignature(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58Length(text) === 64
}

const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The number of bytes in base58: each leading 1 is a zero byte, the rest is one number. */
function base58Length(text: string): number {
  const significant = text.replace(/^1+/, '')
  let number = 0n
  for (const digit of significant) number = number * 58n + BigInt(base58Digits.indexOf(digit))
  const hex = significant && number.toString(16)
  return text.length - significant.length + Math.ceil(hex.length / 2)
}
