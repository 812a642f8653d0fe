import { generateKeyPairSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getAddress } from 'viem/utils'
import { addressKey, evmWord, isAddress, type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { associatedProgram, systemProgram, tokenProgram } from './solana/programs.ts'

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

export function problemsOf(walletOn: (network: Network) => string | null) {
  return networks.flatMap((network) => {
    const wallet = walletOn(network)
    const problem = wallet && problemOf(network, wallet)
    return wallet && problem
      ? [{ variable: `${network.toUpperCase()}_WALLET`, wallet, problem }]
      : []
  })
}

/** The zero address, a program, or the token itself. */
export function isUnspendable(
  network: Network,
  address: string,
  usdcAddress: string = registry[network].usdcAddress,
): boolean {
  return [usdcAddress, ...unspendableAddresses].some(
    (one) => addressKey(one) === addressKey(address),
  )
}

export const unspendable = 'is no wallet: nobody can have what is paid there'

const unspendableAddresses = [`0x${'0'.repeat(40)}`, systemProgram, tokenProgram, associatedProgram]

/** Null if nothing is wrong. Mixed case must match EIP-55. */
export function problemOf(network: Network, address: string): string | null {
  if (!isAddress(network, address)) return `is no address on ${network}`
  if (isUnspendable(network, address)) return unspendable
  const digits = address.slice(2)
  const lowered = digits.toLowerCase()
  const hasNoChecksum =
    network === 'solana' || digits === lowered || digits === digits.toUpperCase()
  return hasNoChecksum || checksummed(address) === address
    ? null
    : 'has capitals that are not its checksum: it may be mistyped'
}

/** The spelling that clients accept. One that may be mistyped is left unchanged, to be refused. */
export function spelt(network: Network, address: string): string {
  const digits = address.slice(2)
  const isUpperCase = network !== 'solana' && digits === digits.toUpperCase()
  return isUpperCase ? checksummed(address) : address
}

/** EIP-55. */
export function checksummed(address: string): string {
  return getAddress(address.toLowerCase())
}
