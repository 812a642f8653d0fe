import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey, publicKeyToAddress } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'

/** The branch of an account key with the addresses that wallets show; BIP-44's "external chain". */
const receiving = 0

/**
 * Derives the addresses of an extended public key (BIP-32, `xpub…`) by index: its children `0/0`,
 * `0/1`, …. For the key of `m/44'/60'/0'` they are the accounts that a wallet shows for the same
 * seed. Each takes about half a millisecond.
 */
export function depositAddresses(xpub: string): (index: number) => string {
  const chain = HDKey.fromExtendedKey(xpub).deriveChild(receiving)
  return (index) => {
    const { publicKey } = chain.deriveChild(index)
    // Never null: a child of an extended public key always has a public key.
    const point = secp256k1.Point.fromHex(publicKey as Uint8Array)
    return publicKeyToAddress(bytesToHex(point.toBytes(false)))
  }
}

/** Whether `text` is a complete, valid extended public key; never true of a private key. */
export function isExtendedPublicKey(text: string): boolean {
  try {
    return text.startsWith('xpub') && HDKey.fromExtendedKey(text).privateKey === null
  } catch {
    return false
  }
}
