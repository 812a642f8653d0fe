import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { AccountLayout, MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token'
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  type VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'

type Address = Parameters<LiteSVM['getAccount']>[0]
type Wire = Parameters<LiteSVM['sendTransaction']>[0]
export type Entry = {
  signature: string
  slot: number
  keys: string[]
  memo: string | null
  tx: VersionedTransaction
  meta: { err: unknown; logMessages: string[] } & Record<string, unknown>
}

export type Block = {
  slot: number
  height: number
  hash: string
  parent: number
  time: number
  entries: Entry[]
  isLost: boolean
}

export type Ledger = ReturnType<typeof openLedger>
export const usdcMint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const memoPrograms = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]

export const faucet = Keypair.fromSeed(sha256('faucet'))
const walletLamports = 100_000_000_000n
export const feePerSignature = 5000
/** Also how long a skipped slot counts as recent. */
export const blockhashWindow = 150

/** The first block's age, and no other's. */
const genesisAgeSeconds = 7 * 86_400

export function openLedger(finalizedLag: number) {
  const svm = new LiteSVM().withBlockhashCheck(false)
  const blocks: Block[] = []
  const bySlot = new Map<number, Block>()
  const bySignature = new Map<string, Entry>()
  let nextSlot = 0

  function makeBlock(entries: Entry[]): Block {
    const slot = nextSlot++
    const hash = base58.encode(sha256(`block ${slot}`))
    const [height, parent] = [blocks.length, tip()?.slot ?? 0]
    const ageSeconds = slot === 0 ? genesisAgeSeconds : 0
    const time = Math.floor(Date.now() / 1000) - ageSeconds
    const block = { slot, height, hash, parent, time, entries, isLost: false }
    blocks.push(block)
    bySlot.set(slot, block)
    for (const entry of entries) bySignature.set(entry.signature, entry)
    svm.warpToSlot(BigInt(nextSlot))
    // Programs accept a new lookup table only with a slot from this list.
    const recent = blocks.slice(-blockhashWindow).toReversed()
    svm.setSlotHashes(recent.map((made) => ({ slot: BigInt(made.slot), hash: made.hash }) as never))
    return block
  }

  function tip(commitment: unknown = 'confirmed'): Block {
    const newest = blocks.at(-1) as Block
    if (commitment !== 'finalized') return newest
    return blocks.findLast(({ slot }) => slot <= newest.slot - finalizedLag) ?? (blocks[0] as Block)
  }

  function account(key: string) {
    const found = svm.getAccount(key as Address)
    return found.exists ? found : null
  }

  function put(key: PublicKey, lamports: bigint, owner: PublicKey, data = new Uint8Array()) {
    svm.setAccount({
      address: key.toBase58() as Address,
      programAddress: owner.toBase58() as Address,
      lamports: lamports as never,
      data,
      executable: false,
      space: BigInt(data.length),
    })
  }

  function isRecent(hash: string): boolean {
    return blocks.slice(-blockhashWindow - 1).some((block) => block.hash === hash)
  }

  /** Writable ones first, as the message numbers them. */
  function loadedAddresses(message: VersionedMessage) {
    const lookups = message.addressTableLookups.map((lookup) => ({
      lookup,
      table: AddressLookupTableAccount.deserialize(
        new Uint8Array(account(lookup.accountKey.toBase58())?.data ?? []),
      ).addresses.map(String),
    }))
    return {
      writable: lookups.flatMap((l) => l.lookup.writableIndexes.map((i) => l.table[i] ?? '')),
      readonly: lookups.flatMap((l) => l.lookup.readonlyIndexes.map((i) => l.table[i] ?? '')),
    }
  }

  function balances(keys: string[]) {
    const accounts = keys.map(account)
    return {
      lamports: accounts.map((found) => Number(found?.lamports ?? 0n)),
      tokens: accounts.flatMap((found, accountIndex) => tokenBalance(found, accountIndex)),
    }
  }

  /**
   * In its own block, unless it cannot pay its fee or is a repetition. Answers the error, or null.
   */
  function execute(tx: VersionedTransaction): unknown {
    const loaded = loadedAddresses(tx.message)
    const keys = [
      ...tx.message.staticAccountKeys.map(String),
      ...loaded.writable,
      ...loaded.readonly,
    ]
    const before = balances(keys)
    const outcome = svm.sendTransaction(wire(tx))
    const { err, meta } = readOutcome(outcome)
    if (err !== null && !isInLedger(err)) return err
    const after = balances(keys)
    const entry: Entry = {
      signature: signatureOf(tx),
      slot: nextSlot,
      keys,
      memo: memoOf(tx.message, keys),
      tx,
      meta: {
        err,
        status: err === null ? { Ok: null } : { Err: err },
        fee: tx.message.header.numRequiredSignatures * feePerSignature,
        preBalances: before.lamports,
        postBalances: after.lamports,
        preTokenBalances: before.tokens,
        postTokenBalances: after.tokens,
        innerInstructions: innerInstructions(meta),
        logMessages: meta.logs(),
        loadedAddresses: loaded,
        computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
        rewards: [],
      },
    }
    makeBlock([entry])
    return err
  }

  function simulate(tx: VersionedTransaction, sigVerify: boolean) {
    svm.withSigverify(sigVerify)
    const outcome = svm.simulateTransaction(wire(tx))
    svm.withSigverify(true)
    const { err, meta } = readOutcome(
      outcome instanceof FailedTransactionMetadata ? outcome : outcome.meta(),
    )
    return { err, logs: meta.logs(), unitsConsumed: Number(meta.computeUnitsConsumed()) }
  }

  function sendAsFaucet(...instructions: TransactionInstruction[]): string {
    const legacy = new Transaction().add(...instructions)
    legacy.recentBlockhash = tip().hash
    legacy.feePayer = faucet.publicKey
    legacy.sign(faucet)
    const tx = VersionedTransaction.deserialize(legacy.serialize())
    const err = execute(tx)
    if (err !== null && !bySignature.has(signatureOf(tx))) throw new Error(JSON.stringify(err))
    return signatureOf(tx)
  }

  const fund = (key: PublicKey) => put(key, walletLamports, SystemProgram.programId)
  const skip = (slots: number) => {
    nextSlot += slots
  }
  const lose = (first: number, last: number) => {
    for (const block of blocks) block.isLost ||= block.slot >= first && block.slot <= last
  }
  put(faucet.publicKey, walletLamports * 10_000n, SystemProgram.programId)
  put(usdcMint, svm.minimumBalanceForRentExemption(BigInt(MINT_SIZE)), TOKEN_PROGRAM_ID, mintData())
  makeBlock([])
  // The chain is old, and its newest blocks are not, final ones among them.
  for (let slot = 0; slot <= finalizedLag; slot++) makeBlock([])
  return {
    ...{ svm, blocks, bySlot, bySignature },
    ...{ makeBlock, tip, account, isRecent, execute, simulate, sendAsFaucet, fund, skip, lose },
  }
}

export function signatureOf(tx: VersionedTransaction): string {
  return base58.encode(tx.signatures[0] ?? new Uint8Array())
}

function wire({ message, signatures }: VersionedTransaction): Wire {
  const signed = signatures.map((bytes, i) => [String(message.staticAccountKeys[i]), bytes])
  return { messageBytes: message.serialize(), signatures: Object.fromEntries(signed) } as never
}

/** The first byte of a legacy message; in a versioned one the version comes first. */
export function signersIn(message: Uint8Array): number {
  const [first = 0, second = 0] = message
  return first >= 128 ? second : first
}

function readOutcome(outcome: TransactionMetadata | FailedTransactionMetadata) {
  if (!(outcome instanceof FailedTransactionMetadata)) return { err: null, meta: outcome }
  return { err: errorJson(outcome.toString()), meta: outcome.meta() }
}

/** From Rust's debug text, such as `InstructionError(0, Custom(1))`. */
function errorJson(debug: string): unknown {
  const [, index, name, code] =
    debug.match(/err: InstructionError\(\s*(\d+),\s*(\w+)(?:\(\s*(\d+),?\s*\))?/) ?? []
  if (name === undefined) return debug.match(/err: (\w+)/)?.[1] ?? debug
  return { InstructionError: [Number(index), code === undefined ? name : { [name]: Number(code) }] }
}

/** Only a transaction that failed while running pays a fee and is kept. */
function isInLedger(err: unknown): boolean {
  return typeof err === 'object'
}

function memoOf(message: VersionedMessage, keys: string[]): string | null {
  const memos = message.compiledInstructions
    .filter(({ programIdIndex }) => memoPrograms.includes(keys[programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`)
  return memos.length > 0 ? memos.join('; ') : null
}

function innerInstructions(meta: TransactionMetadata) {
  return meta
    .innerInstructions()
    .map((list, index) => ({
      index,
      instructions: list.map((inner) => ({
        programIdIndex: inner.instruction().programIdIndex(),
        accounts: [...inner.instruction().accounts()],
        data: base58.encode(inner.instruction().data()),
        stackHeight: inner.stackHeight(),
      })),
    }))
    .filter(({ instructions }) => instructions.length > 0)
}

export function tokenBalance(account: ReturnType<Ledger['account']>, accountIndex: number) {
  if (account?.programAddress !== TOKEN_PROGRAM_ID.toBase58()) return []
  if (account.data.length !== AccountLayout.span) return []
  const { mint, owner, amount } = AccountLayout.decode(new Uint8Array(account.data))
  const uiAmountString = `${Number(amount) / 1e6}`
  return [
    {
      accountIndex,
      mint: mint.toBase58(),
      owner: owner.toBase58(),
      programId: TOKEN_PROGRAM_ID.toBase58(),
      uiTokenAmount: {
        amount: `${amount}`,
        decimals: 6,
        uiAmount: Number(uiAmountString),
        uiAmountString,
      },
    },
  ]
}

function mintData(): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(MINT_SIZE)
  const none = { freezeAuthorityOption: 0, freezeAuthority: PublicKey.default } as const
  const authority = { mintAuthorityOption: 1, mintAuthority: faucet.publicKey } as const
  MintLayout.encode({ ...authority, ...none, supply: 0n, decimals: 6, isInitialized: true }, data)
  return data
}

export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
