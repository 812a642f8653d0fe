/** The networks USDC is watched on; `ethereum` is detected but no invoice may name it. */
export const networks = ['base', 'polygon', 'arbitrum', 'skale', 'solana', 'ethereum'] as const
export type Network = (typeof networks)[number]

/** What `chain` of an invoice may be. */
export const invoiceChains = ['base', 'polygon', 'arbitrum', 'solana', 'skale'] as const
export type InvoiceChain = (typeof invoiceChains)[number]

/** Where a payment was noticed; spec, `paymentDetails.settlementSource`. */
export type SettlementSource = 'evm-detector' | 'solana-detector'

/** Which detector watches a network. */
export function settlementSource(network: Network): SettlementSource {
  return network === 'solana' ? 'solana-detector' : 'evm-detector'
}

/** An address on any EVM chain; checksums are not judged. */
export const evmAddress = /^0x[0-9a-fA-F]{40}$/
/** 32 bytes as EVM chains write them: a transaction's hash, a private key, the nonce of an authorization. */
export const evmWord = /^0x[0-9a-fA-F]{64}$/
const solanaAddress = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const solanaSignature = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** Whether `text` has the look of an address on `network`. */
export function isAddress(network: Network, text: string): boolean {
  return (network === 'solana' ? solanaAddress : evmAddress).test(text)
}

/** Whether `text` has the look of a transaction's hash (EVM) or signature (Solana). */
export function isTxHash(network: Network, text: string): boolean {
  return (network === 'solana' ? solanaSignature : evmWord).test(text)
}

/** Whether `text` could be an address on some network. */
export function isAnyAddress(text: string): boolean {
  return evmAddress.test(text) || solanaAddress.test(text)
}

/** Whether `text` could be the hash or signature of a transaction on some network. */
export function isAnyTxHash(text: string): boolean {
  return evmWord.test(text) || solanaSignature.test(text)
}

/** An address or hash as transfers spell it: those of EVM chains compare without case, Solana's with. */
export function addressKey(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address
}
