import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import {
  createMintToCheckedInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token'
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import {
  blockhashOf,
  feePayer,
  paysFeeOnly,
  readPaymentMessage,
  readSignedTransfer,
  solanaAuthorization,
} from '../../../src/chain/solana/message.ts'

const mint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const [payer, settler, merchant] = [1, 2, 3].map((seed) =>
  Keypair.fromSeed(new Uint8Array(32).fill(seed)),
) as [Keypair, Keypair, Keypair]
const recentBlockhash = base58.encode(new Uint8Array(32).fill(9))

function unsigned(...instructions: TransactionInstruction[]): VersionedTransaction {
  const payerKey = settler.publicKey
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions })
  return new VersionedTransaction(message.compileToV0Message())
}

function transfer(usdcBase: bigint): VersionedTransaction {
  const [from, to] = [payer, merchant].map(({ publicKey }) =>
    getAssociatedTokenAddressSync(mint, publicKey),
  ) as [PublicKey, PublicKey]
  return unsigned(createTransferCheckedInstruction(from, mint, to, payer.publicKey, usdcBase, 6))
}

function encoded(transaction: VersionedTransaction): string {
  return Buffer.from(transaction.serialize()).toString('base64')
}

test('a payment is named by what is signed, whoever has signed it so far', () => {
  const transaction = transfer(1n)
  const before = readPaymentMessage(encoded(transaction))
  transaction.sign([payer])
  const read = readPaymentMessage(encoded(transaction))
  expect(read).toEqual(before)
  expect(read?.payer).toBe(payer.publicKey.toBase58())
  expect(blockhashOf(read?.nonce ?? '')).toBe(recentBlockhash)
  expect(readPaymentMessage(encoded(transfer(2n)))?.nonce).not.toBe(read?.nonce ?? '')
})

test('what the fee payer signs is what the payer signed, under the name the chain will give it', () => {
  const transaction = transfer(1n)
  transaction.sign([payer])
  const { address, cosign } = feePayer(base58.encode(settler.secretKey))
  const { signed, txHash } = cosign(encoded(transaction))
  transaction.sign([settler])
  expect(address).toBe(settler.publicKey.toBase58())
  expect(signed).toBe(encoded(transaction))
  expect(txHash).toBe(base58.encode(transaction.signatures[0] ?? new Uint8Array()))
})

test('a fee payer pays the fee only where no instruction names it, as an account or as a program', () => {
  const data = Buffer.from('memo')
  const [programId, mine] = [Keypair.generate().publicKey, settler.publicKey]
  const named = (isSigner: boolean) => ({ pubkey: mine, isSigner, isWritable: false })
  expect(paysFeeOnly(encoded(transfer(1n)))).toBe(true)
  for (const instruction of [
    new TransactionInstruction({ programId, keys: [named(true)], data }),
    new TransactionInstruction({ programId, keys: [named(false)], data }),
    new TransactionInstruction({ programId: mine, keys: [], data }),
  ]) {
    expect(paysFeeOnly(encoded(unsigned(instruction)))).toBe(false)
  }
})

test('what is no transaction, or calls no token program, is no payment', () => {
  const lamports = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: merchant.publicKey,
    lamports: 1,
  })
  const texts = [encoded(unsigned(lamports)), '', 'AAAA', 'no base64 !', 'A'.repeat(2_000)]
  for (const text of [...texts, encoded(transfer(1n)).slice(0, 200), 5, null]) {
    expect(solanaAuthorization({ transaction: text }, new Date(0))).toBeNull()
    expect(readSignedTransfer(`${text}`, mint.toBase58())).toBeNull()
  }
})

describe('a transfer of USDC', () => {
  const read = (transaction: VersionedTransaction) =>
    readSignedTransfer(encoded(transaction), mint.toBase58())
  const one = (
    usdcBase = 10_000n,
    { token = mint, program }: { token?: PublicKey; program?: PublicKey } = {},
  ) => {
    const [from, to] = [payer, merchant].map(({ publicKey }) =>
      getAssociatedTokenAddressSync(mint, publicKey),
    ) as [PublicKey, PublicKey]
    const { publicKey: owner } = payer
    return createTransferCheckedInstruction(from, token, to, owner, usdcBase, 6, [], program)
  }
  /** Signed by all but the one who pays the fee. */
  const signed = (...instructions: TransactionInstruction[]) => {
    const transaction = unsigned(...instructions)
    const { message } = transaction
    const signers = message.staticAccountKeys.slice(1, message.header.numRequiredSignatures)
    const isSigner = ({ publicKey }: Keypair) => signers.some((key) => key.equals(publicKey))
    transaction.sign([payer, merchant].filter(isSigner))
    return transaction
  }
  const advance = SystemProgram.nonceAdvance({
    noncePubkey: merchant.publicKey,
    authorizedPubkey: payer.publicKey,
  })

  test('is read with who signs it, how much it moves and to whom', () => {
    const transaction = signed(one(2n ** 40n))
    const found = read(transaction)
    expect(found).toMatchObject({
      ...readPaymentMessage(encoded(transaction)),
      payer: payer.publicKey.toBase58(),
      usdcBase: 2n ** 40n,
    })
    expect(found?.isTo(merchant.publicKey.toBase58())).toBe(true)
    expect(found?.isTo(payer.publicKey.toBase58())).toBe(false)
  })

  test.each<[string, TransactionInstruction[]]>([
    ['comes with another', [one(), one(1n)]],
    ['is of another token', [one(1n, { token: merchant.publicKey })]],
    ['is made by another token program', [one(1n, { program: TOKEN_2022_PROGRAM_ID })]],
    ['could be sent for ever, by a durable nonce', [advance, one()]],
    [
      'is no transfer but a mint',
      [createMintToCheckedInstruction(mint, mint, merchant.publicKey, 1n, 6)],
    ],
  ])('is not read where it %s', (_, instructions) => {
    expect(read(signed(...instructions))).toBeNull()
  })

  test('is not read where it is signed by none or by others, for it names anybody then', () => {
    const transaction = unsigned(one())
    expect(read(transaction)).toBeNull()
    transaction.sign([settler])
    expect(read(transaction)).toBeNull()
    transaction.signatures[1] = transaction.signatures[0] as Uint8Array
    expect(read(transaction)).toBeNull()
    transaction.sign([payer])
    expect(read(transaction)).not.toBeNull()
    transaction.message.recentBlockhash = base58.encode(new Uint8Array(32).fill(8))
    expect(read(transaction)).toBeNull()
  })

  test.each([
    ['the System Program, which fits one message in four', new PublicKey(new Uint8Array(32))],
    ['the point that fits any message', new PublicKey(Uint8Array.of(1, ...new Uint8Array(31)))],
  ])('is not read where it is signed as anybody can sign for %s', (_, anybody) => {
    const [from, to] = [settler, merchant].map(({ publicKey }) =>
      getAssociatedTokenAddressSync(mint, publicKey),
    ) as [PublicKey, PublicKey]
    for (let usdcBase = 1n; usdcBase <= 40n; usdcBase++) {
      const made = createTransferCheckedInstruction(from, mint, to, anybody, usdcBase, 6)
      const transaction = unsigned(made)
      const at = transaction.message.staticAccountKeys.findIndex((key) => key.equals(anybody))
      transaction.signatures[at] = Uint8Array.of(1, ...new Uint8Array(63))
      expect(read(transaction)).toBeNull()
    }
  })
})

test('a key that is not 64 bytes is no fee payer', () => {
  expect(() => feePayer(base58.encode(new Uint8Array(63).fill(1)))).toThrow('64 bytes')
})
