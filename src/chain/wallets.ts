import { generateKeyPairSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getAddress } from 'viem/utils'
import { addressKey, evmWord, isAddress, type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { associatedProgram, systemProgram, tokenProgram } from './solana/programs.ts'

/** A fresh key for an EVM chain: `privateKey` is 0x + 64 hex. */
export function newEvmWallet(): { privateKey: string; address: string } {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAccount(privateKey).address }
}

/**
 * A fresh key for Solana, in base58: `privateKey` is the 64 bytes that wallets import (seed and
 * public key).
 */
export function newSolanaWallet(): { privateKey: string; address: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d, 'base64url')
  const publicKey = Buffer.from(x, 'base64url')
  return {
    privateKey: base58.encode(Buffer.concat([seed, publicKey])),
    address: base58.encode(publicKey),
  }
}

/** Whether `text` is 0x + 64 hex digits that an account's private key can have. */
export function isEvmPrivateKey(text: string): boolean {
  return evmWord.test(text) && secp256k1.utils.isValidSecretKey(Buffer.from(text.slice(2), 'hex'))
}

/** Whether `text` is a key as `newSolanaWallet` makes one: a seed, and the public key it has. */
export function isSolanaPrivateKey(text: string): boolean {
  try {
    const key = base58.decode(text)
    const publicKey = ed25519.getPublicKey(key.slice(0, 32))
    return key.length === 64 && Buffer.from(publicKey).equals(key.slice(32))
  } catch {
    return false
  }
}

/**
 * The chains' wallets that have a problem, each with the problem and the environment variable that
 * set it.
 */
export function problemsOf(walletOn: (network: Network) => string | null) {
  return networks.flatMap((network) => {
    const wallet = walletOn(network)
    const problem = wallet && problemOf(network, wallet)
    return wallet && problem
      ? [{ variable: `${network.toUpperCase()}_WALLET`, wallet, problem }]
      : []
  })
}

/**
 * Whether nobody can have what is paid at an address: it is the zero address, a program that every
 * payment involves, or that of the token itself, `usdcAddress`.
 */
export function isNobodys(
  network: Network,
  address: string,
  usdcAddress: string = registry[network].usdcAddress,
): boolean {
  return [usdcAddress, ...ofNobody].some((one) => addressKey(one) === addressKey(address))
}

/** What is wrong with an address that is nobody's. */
export const nobodys = 'is no wallet: nobody can have what is paid there'

const ofNobody = [`0x${'0'.repeat(40)}`, systemProgram, tokenProgram, associatedProgram]

/**
 * What is wrong with an address, as far as the address tells; null if nothing is. On EVM, mixed
 * case must match the checksum (EIP-55).
 */
export function problemOf(network: Network, address: string): string | null {
  if (!isAddress(network, address)) return `is no address on ${network}`
  if (isNobodys(network, address)) return nobodys
  const digits = address.slice(2)
  const lowered = digits.toLowerCase()
  const isSilent = network === 'solana' || digits === lowered || digits === digits.toUpperCase()
  return isSilent || checksummed(address) === address
    ? null
    : 'has capitals that are not its checksum: it may be mistyped'
}

/**
 * An address as clients take it: they refuse one in capitals on EVM unless these are its checksum
 * (EIP-55). One that may be mistyped is left as it is, to be refused.
 */
export function spelt(network: Network, address: string): string {
  const digits = address.slice(2)
  const isShouted = network !== 'solana' && digits === digits.toUpperCase()
  return isShouted ? checksummed(address) : address
}

/** An EVM address in checksum spelling (EIP-55), on which clients insist, from any spelling. */
export function checksummed(address: string): string {
  return getAddress(address.toLowerCase())
}
