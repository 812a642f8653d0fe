import { generateKeyPairSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58 } from '@scure/base'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { checksummed } from '../domain/address.ts'
import { evmWord, type Network } from '../domain/network.ts'

export function newEvmWallet(): { privateKey: string; address: string } {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAccount(privateKey).address }
}

/** The key in base58: the 64 bytes that wallets import, seed and public key. */
export function newSolanaWallet(): { privateKey: string; address: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d, 'base64url')
  const publicKey = Buffer.from(x, 'base64url')
  return {
    privateKey: base58.encode(Buffer.concat([seed, publicKey])),
    address: base58.encode(publicKey),
  }
}

/** The address of a private key of either kind. */
export function addressOf(privateKey: string): string {
  return evmWord.test(privateKey)
    ? privateKeyToAccount(privateKey as Hex).address
    : base58.encode(base58.decode(privateKey).slice(32))
}

export function isEvmPrivateKey(text: string): boolean {
  return evmWord.test(text) && secp256k1.utils.isValidSecretKey(Buffer.from(text.slice(2), 'hex'))
}

export function isSolanaPrivateKey(text: string): boolean {
  try {
    const key = base58.decode(text)
    const publicKey = ed25519.getPublicKey(key.slice(0, 32))
    return key.length === 64 && Buffer.from(publicKey).equals(key.slice(32))
  } catch {
    return false
  }
}

/** The spelling that clients accept. */
export function spelt(network: Network, address: string): string {
  const digits = address.slice(2)
  const isUpperCase = network !== 'solana' && digits === digits.toUpperCase()
  return isUpperCase ? checksummed(address) : address
}
