import { beforeAll, expect, test } from 'bun:test'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  Connection,
  type Keypair,
  type PublicKey,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { memo } from '../../support/solana-transfer.ts'
import { useWorld } from '../../support/world.ts'

const { solana: node } = useWorld({ chains: ['solana'], service: 'no database' })
let connection: Connection

beforeAll(() => {
  connection = new Connection(node.url, 'confirmed')
})

test('signatures are paged newest first by before, until and limit', async () => {
  const payee = node.wallet(4).publicKey
  const oldest = Array.from({ length: 4 }, (_, i) => node.mintTo(payee, BigInt(i + 1)))
  const [d, c, b, a] = oldest.toReversed() as [string, string, string, string]
  const page = async (options: object) =>
    (await connection.getSignaturesForAddress(usdcAccount(payee), options)).map((s) => s.signature)
  expect(await page({})).toEqual([d, c, b, a])
  expect(await page({ limit: 2 })).toEqual([d, c])
  expect(await page({ before: c })).toEqual([b, a])
  expect(await page({ until: b })).toEqual([d, c])
  expect(await page({ before: d, until: a, limit: 1 })).toEqual([c])
})

test('finalized is two slots behind confirmed', async () => {
  const signature = node.mintTo(node.wallet(5).publicKey, 1n)
  expect(await connection.getTransaction(signature, finalized)).toBeNull()
  node.advance(2)
  expect(await connection.getTransaction(signature, finalized)).not.toBeNull()
  expect((await connection.getSlot('confirmed')) - (await connection.getSlot('finalized'))).toBe(2)
})

test('a blockhash is valid for 150 blocks', async () => {
  const payer = node.wallet(6)
  node.mintTo(payer.publicKey, 100n)
  const { blockhash } = await connection.getLatestBlockhash()
  node.advance(150)
  expect((await connection.isBlockhashValid(blockhash)).value).toBe(true)
  node.advance(1)
  expect((await connection.isBlockhashValid(blockhash)).value).toBe(false)
  const late = pay(payer, node.wallet(7).publicKey, 1n, 'late', { blockhash })
  await expect(late).rejects.toThrow('Blockhash not found')
})

test('a skipped slot is missing from the blocks and answers as skipped', async () => {
  const before = await connection.getSlot()
  node.skip(2)
  node.advance(1)
  expect(await connection.getBlocks(before)).toEqual([before, before + 3])
  expect(await rpc('getBlock', [before + 1])).toMatchObject({ error: { code: -32007 } })
  expect((await connection.getBlock(before + 3, confirmed))?.parentSlot).toBe(before)
})

test('lost blocks and their transactions are not listed, and the first available block follows them', async () => {
  const owner = node.wallet(9).publicKey
  const signature = node.mintTo(owner, 1n)
  const slot = await connection.getSlot()
  node.advance(5)
  expect(await rpc('getFirstAvailableBlock', [])).toMatchObject({ result: 0 })
  node.lose(0, slot)
  expect(await rpc('getFirstAvailableBlock', [])).toMatchObject({ result: slot + 1 })
  expect(await connection.getBlocks(0, slot + 2)).toEqual([slot + 1, slot + 2])
  expect(await rpc('getTransaction', [signature])).toMatchObject({ result: null })
  expect(await connection.getSignaturesForAddress(owner)).toEqual([])
})

test('a versioned transaction is executed, and shown only to clients that support it', async () => {
  const payer = node.wallet(8)
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash()
  const instructions = [memo('v0')]
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash,
    instructions,
  })
  const tx = new VersionedTransaction(message.compileToV0Message())
  tx.sign([payer])
  const signature = await connection.sendTransaction(tx)
  const read = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  expect(read?.version).toBe(0)
  const options = { commitment: 'confirmed' }
  expect(await rpc('getTransaction', [signature, options])).toMatchObject({
    error: { code: -32015 },
  })
})

const finalized = { commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const
const confirmed = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const

function usdcAccount(owner: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(node.mint, owner)
}

async function pay(
  payer: Keypair,
  payee: PublicKey,
  usdcBase: bigint,
  text: string,
  { blockhash, skipPreflight = false }: { blockhash?: string; skipPreflight?: boolean } = {},
): Promise<string> {
  const [from, to] = [usdcAccount(payer.publicKey), usdcAccount(payee)]
  const tx = new Transaction().add(
    createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, to, payee, node.mint),
    createTransferCheckedInstruction(from, node.mint, to, payer.publicKey, usdcBase, 6),
    memo(text),
  )
  tx.recentBlockhash = blockhash ?? (await connection.getLatestBlockhash()).blockhash
  tx.feePayer = payer.publicKey
  tx.sign(payer)
  return connection.sendRawTransaction(tx.serialize(), { skipPreflight })
}

function rpc(method: string, params: unknown[]): Promise<unknown> {
  return post({ jsonrpc: '2.0', id: 1, method, params })
}

async function post(body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}
