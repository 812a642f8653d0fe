import { describe, expect, test } from 'bun:test'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { parseSignature, serializeCompactSignature, signatureToCompactSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isSignedByPayer } from '../../../src/chain/facilitator/payer-signature.ts'
import { newEvmWallet, newSolanaWallet } from '../../../src/chain/wallets.ts'

const statement = 'I made this transfer – café\n'

const evm = privateKeyToAccount(newEvmWallet().privateKey as `0x${string}`)
const evmSignature = await evm.signMessage({ message: statement })

const wallet = newSolanaWallet()
const seed = base58.decode(wallet.privateKey).subarray(0, 32)
const key = createPrivateKey({
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from(seed).toString('base64url'),
    x: Buffer.from(base58.decode(wallet.address)).toString('base64url'),
  },
  format: 'jwk',
})
const solanaSignature = sign(null, Buffer.from(statement), key)

const onEvm = { network: 'base', statement, signature: evmSignature, payer: evm.address } as const
const onSolana = {
  network: 'solana',
  statement,
  signature: base58.encode(solanaSignature),
  payer: wallet.address,
} as const

describe('an EVM payer signed it', () => {
  test('with personal_sign, however the address is spelled', async () => {
    expect(await isSignedByPayer(onEvm)).toBe(true)
    expect(await isSignedByPayer({ ...onEvm, payer: evm.address.toLowerCase() })).toBe(true)
  })

  test('but not another text, another payer, or in the compact spelling', async () => {
    const compact = serializeCompactSignature(
      signatureToCompactSignature(parseSignature(evmSignature)),
    )
    for (const change of [
      { statement: `${statement} ` },
      { payer: newEvmWallet().address },
      { signature: compact },
      { signature: `${evmSignature}00` },
    ]) {
      expect(await isSignedByPayer({ ...onEvm, ...change })).toBe(false)
    }
  })
})

describe('a Solana payer signed it', () => {
  test('in base58 and in base64', async () => {
    expect(await isSignedByPayer(onSolana)).toBe(true)
    const signature = solanaSignature.toString('base64')
    expect(await isSignedByPayer({ ...onSolana, signature })).toBe(true)
  })

  test('but not another text, another payer, or another number of bytes', async () => {
    for (const change of [
      { statement: `${statement} ` },
      { payer: newSolanaWallet().address },
      { signature: base58.encode(solanaSignature.subarray(1)) },
      { signature: base58.encode(Buffer.concat([solanaSignature, Buffer.of(1)])) },
    ]) {
      expect(await isSignedByPayer({ ...onSolana, ...change })).toBe(false)
    }
  })
})

test('nobody has signed for an address on Solana whose signature anybody can make', async () => {
  const signature = base58.encode(Uint8Array.of(1, ...new Uint8Array(63)))
  for (const payer of ['1'.repeat(32), base58.encode(Uint8Array.of(1, ...new Uint8Array(31)))]) {
    for (let nth = 0; nth < 40; nth++) {
      const claim = { ...onSolana, statement: `claim ${nth}`, signature, payer }
      expect(await isSignedByPayer(claim)).toBe(false)
    }
  }
})

describe('a Solana payer’s own signature is refused as Solana refuses it', () => {
  const { point, scalar } = ed25519.utils.getExtendedPublicKey(seed)
  const { Fn, BASE } = ed25519.Point
  const hash = (...parts: Uint8Array[]) => {
    const digest = createHash('sha512').update(Buffer.concat(parts)).digest()
    return Fn.create(BigInt(`0x${digest.reverse().toString('hex')}`))
  }
  /** Signs with a commitment to `secret` that is spelled `r`. */
  const signedWith = (secret: bigint, r: Uint8Array) => {
    const k = hash(r, point.toBytes(), Buffer.from(statement))
    const s = Fn.create(secret + k * scalar)
    return base58.encode(Buffer.concat([r, Fn.toBytes(s)]))
  }
  const isSigned = (signature: string) => isSignedByPayer({ ...onSolana, signature })

  test('where its point is of small order, or is spelled otherwise', async () => {
    expect(await isSigned(signedWith(7n, BASE.multiply(7n).toBytes()))).toBe(true)
    const [one, beyond] = [new Uint8Array(32), new Uint8Array(32).fill(0xff)]
    one.set([1])
    beyond.set([0xee])
    for (const [first, last] of [
      [one, 0],
      [one, 0x80],
      [beyond, 0x7f],
      [beyond, 0xff],
    ] as const) {
      const r = first.slice()
      r.set([last], 31)
      expect(await isSigned(signedWith(0n, r))).toBe(false)
    }
  })

  test('where its number is not the least', async () => {
    const [r, s] = [solanaSignature.subarray(0, 32), Buffer.from(solanaSignature.subarray(32))]
    const more = BigInt(`0x${s.reverse().toString('hex')}`) + Fn.ORDER
    const spelled = Buffer.from(more.toString(16).padStart(64, '0'), 'hex').reverse()
    expect(await isSigned(base58.encode(Buffer.concat([r, spelled])))).toBe(false)
  })
})

test('what is neither signature nor address is not signed, and nothing throws', async () => {
  const rubbish = ['', '0x', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, '0x1', 'é', '\0']
  rubbish.push('1'.repeat(64), 'A'.repeat(86), `${'+'.repeat(86)}==`, '0OIl')
  for (const value of rubbish) {
    for (const good of [onEvm, onSolana]) {
      expect(await isSignedByPayer({ ...good, signature: value })).toBe(false)
      expect(await isSignedByPayer({ ...good, payer: value })).toBe(false)
    }
  }
})
