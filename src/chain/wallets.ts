import { generateKeyPairSync } from 'node:crypto'
import { base58 } from '@scure/base'
import { getAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { isAddress, type Network } from '../domain/network.ts'

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

/** Whether `text` is an address without typing errors, as far as it tells: on EVM, capitals among small letters are its checksum. */
export function isSoundAddress(network: Network, text: string): boolean {
  return isAddress(network, text) && (network === 'solana' || isChecksummed(text))
}

/** What `isSoundAddress` asks for, to follow "must be". */
export function soundAddressLook(network: Network): string {
  return network === 'solana'
    ? 'an address on solana, 32 bytes in base58'
    : `an address on ${network}, in mixed case with its checksum (EIP-55) right`
}

function isChecksummed(address: string): boolean {
  const digits = address.slice(2)
  const lowered = digits.toLowerCase()
  if (digits === lowered || digits === digits.toUpperCase()) return true
  return getAddress(`0x${lowered}`) === address
}
