import { generateKeyPairSync } from 'node:crypto'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** A fresh key for an EVM chain: `privateKey` is 0x + 64 hex. */
export function newEvmWallet(): { privateKey: string; address: string } {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAccount(privateKey).address }
}

/** A fresh key for Solana, both in base58: `privateKey` is the 64 bytes wallets import (seed and public key). */
export function newSolanaWallet(): { privateKey: string; address: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d, 'base64url')
  const publicKey = Buffer.from(x, 'base64url')
  return {
    privateKey: base58.encode(Buffer.concat([seed, publicKey])),
    address: base58.encode(publicKey),
  }
}
