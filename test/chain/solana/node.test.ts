import { beforeAll, expect, test } from 'bun:test'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  AddressLookupTableProgram,
  Connection,
  type Keypair,
  type PublicKey,
  SystemProgram,
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

test('a transfer with a memo is read back by its address, with balances and inner instructions', async () => {
  const [payer, payee] = [node.wallet(0), node.wallet(1)]
  node.mintTo(payer.publicKey, 5_000_000n)
  const signature = await pay(payer, payee.publicKey, 1_250_000n, 'INV-7')
  const [found] = await connection.getSignaturesForAddress(usdcAccount(payee.publicKey))
  expect(found).toMatchObject({ signature, memo: '[5] INV-7', err: null })

  const read = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  expect(read?.transaction.message.compiledInstructions).toHaveLength(3)
  expect(read?.meta?.innerInstructions?.[0]?.instructions.length).toBeGreaterThan(0)
  const paid = read?.meta?.postTokenBalances?.find((b) => b.owner === payee.publicKey.toBase58())
  expect(paid).toMatchObject({ mint: node.mint.toBase58(), uiTokenAmount: { amount: '1250000' } })
  expect(read?.meta?.fee).toBe(5000)
})

test('preflight refuses a failing transfer; sent without it, it is in the ledger with its error', async () => {
  const [payer, payee] = [node.wallet(2), node.wallet(3)]
  node.mintTo(payer.publicKey, 10n)
  await expect(pay(payer, payee.publicKey, 11n, 'too much')).rejects.toThrow(
    'Error processing Instruction 1: custom program error: 0x1',
  )
  const signature = await pay(payer, payee.publicKey, 11n, 'too much', { skipPreflight: true })
  const { value } = await connection.getSignatureStatus(signature)
  expect(value?.err).toEqual({ InstructionError: [1, { Custom: 1 }] })
  const read = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  expect(read?.meta).toMatchObject({ err: value?.err, fee: 5000 })
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

test('finalized trails confirmed by two slots', async () => {
  const signature = node.mintTo(node.wallet(5).publicKey, 1n)
  expect(await connection.getTransaction(signature, finalized)).toBeNull()
  node.advance(2)
  expect(await connection.getTransaction(signature, finalized)).not.toBeNull()
  expect((await connection.getSlot('confirmed')) - (await connection.getSlot('finalized'))).toBe(2)
})

test('a blockhash lets transactions in for 150 blocks and then no more', async () => {
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

test('lost blocks are listed no more, nor what is in them, and the first that is available comes after them', async () => {
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

test('a versioned transaction is executed, and shown only to who supports it', async () => {
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

test('an address from a lookup table is found by its signatures and shown as loaded', async () => {
  const [payer, payee] = [node.wallet(8).publicKey, node.wallet(9).publicKey]
  const [authority, recentSlot] = [payer, await connection.getSlot()]
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    ...{ authority, payer, recentSlot },
  })
  const extend = AddressLookupTableProgram.extendLookupTable({
    ...{ authority, payer, lookupTable, addresses: [payee] },
  })
  node.advance(1)
  await connection.sendTransaction(new Transaction().add(create, extend), [node.wallet(8)])
  node.advance(1)
  const { value: table } = await connection.getAddressLookupTable(lookupTable)
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash()
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payee, lamports: 7 })
  const instructions = [transfer]
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions })
  const tx = new VersionedTransaction(message.compileToV0Message(table ? [table] : []))
  tx.sign([node.wallet(8)])
  const signature = await connection.sendTransaction(tx)
  expect(await connection.getSignaturesForAddress(payee)).toMatchObject([{ signature, err: null }])
  const read = await connection.getTransaction(signature, confirmed)
  expect(read?.meta?.loadedAddresses).toEqual({ writable: [payee], readonly: [] })
})

test('unknown methods and malformed parameters are refused by code, also in a batch', async () => {
  expect(await rpc('noSuchMethod', [])).toMatchObject({ error: { code: -32601 } })
  expect(await rpc('getBalance', ['?'])).toMatchObject({ error: { code: -32602 } })
  const calls = ['getHealth', 'getGenesisHash'].map((method, id) => ({
    jsonrpc: '2.0',
    id,
    method,
  }))
  expect(await post(calls)).toMatchObject([{ id: 0, result: 'ok' }, { id: 1 }])
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
