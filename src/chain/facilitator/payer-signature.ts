import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { authorizationTypes } from '@x402/evm'
import type { Hex } from 'viem'
import { isHex, recoverMessageAddress, recoverTypedDataAddress, size } from 'viem/utils'
import { addressKey } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import type { SignedStatement } from '../../domain/settlement/payer-statement.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'

/** Whether `payer` signed exactly `statement`, by `personal_sign` or ed25519. Never throws. */
export async function isSignedByPayer({
  network,
  statement,
  signature,
  payer,
}: SignedStatement): Promise<boolean> {
  try {
    return network === 'solana'
      ? isSignedOnSolana(statement, signature, payer)
      : await isSignedOnEvm(statement, signature, payer)
  } catch {
    return false
  }
}

async function isSignedOnEvm(message: string, signature: string, payer: string): Promise<boolean> {
  if (!isHex(signature) || size(signature) !== 65) return false
  return addressKey(await recoverMessageAddress({ message, signature })) === addressKey(payer)
}

/** Whether the payer's key signed an EIP-3009 authorization of the token. Never throws. */
export async function isAuthorizationSigned(
  { network, payer, payload }: SignedPayment,
  token: Hex,
): Promise<boolean> {
  const { chainId, usdcDomain } = registry[network]
  if (chainId === null || usdcDomain === null) return false
  const { signature, authorization } = payload as { signature: Hex; authorization: object }
  const signer = await recoverTypedDataAddress({
    domain: { ...usdcDomain, chainId, verifyingContract: token },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
    signature,
  }).catch(() => null)
  return signer !== null && addressKey(signer) === addressKey(payer)
}

function isSignedOnSolana(statement: string, signature: string, payer: string): boolean {
  const bytes = base58Form.test(signature) ? base58.decode(signature) : base64Bytes(signature)
  return isEd25519(Buffer.from(statement), bytes, payer)
}

/**
 * Whether a Solana address signed these bytes. `node:crypto` alone also accepts signatures that
 * anybody can make for a few addresses; the library that refuses those takes several times as long.
 */
export function isEd25519(signed: Uint8Array, signature: Uint8Array, address: string): boolean {
  const key = base58.decode(address)
  if (signature.length !== 64 || ![key, signature.subarray(0, 32)].every(isStrong)) return false
  const x = Buffer.from(key).toString('base64url')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

/** Whether these 32 bytes are a point as it is written, and none of the eight of small order. */
function isStrong(bytes: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(bytes).isSmallOrder()
  } catch {
    return false
  }
}

function base64Bytes(text: string): Uint8Array {
  // Tested before decoding: `Buffer.from` skips characters that are not base64.
  return base64Form.test(text) ? Buffer.from(text, 'base64') : new Uint8Array(0)
}

// 64 bytes are at most 88 digits in base58, and 86 characters and two of padding in base64.
const base58Form = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const base64Form = /^[A-Za-z0-9+/]{86}==$/
