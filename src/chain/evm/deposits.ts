import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey, publicKeyToAddress } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'

const receiving = 0

/** By index, the accounts a wallet shows for the key of `m/44'/60'/0'`. Each takes 0.5 ms. */
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
