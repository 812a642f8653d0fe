import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey, publicKeyToAddress } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'

/** BIP-44's "external chain". */
const receiving = 0

/**
 * The addresses of an extended public key (BIP-32) by index. For the key of `m/44'/60'/0'` they are
 * the accounts that a wallet shows. Each takes about half a millisecond.
 */
export function depositAddresses(xpub: string): (index: number) => string {
  const chain = HDKey.fromExtendedKey(xpub).deriveChild(receiving)
  return (index) => {
    const { publicKey } = chain.deriveChild(index)
    const point = secp256k1.Point.fromHex(publicKey as Uint8Array)
    return publicKeyToAddress(bytesToHex(point.toBytes(false)))
  }
}

/** Whether `text` is a valid extended public key; never true of a private key. */
export function isExtendedPublicKey(text: string): boolean {
  try {
    return text.startsWith('xpub') && HDKey.fromExtendedKey(text).privateKey === null
  } catch {
    return false
  }
}
