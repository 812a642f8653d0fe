import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import {
  AccountLayout,
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MintLayout,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token'
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

/**
 * A Solana ledger in memory, served as JSON-RPC over HTTP: LiteSVM with the real Token, Associated
 * Token Account and Memo programs.
 */
export type SolanaNode = {
  readonly url: string
  /** The USDC mint, at its mainnet address, with 6 decimals. */
  readonly mint: PublicKey
  /** The keypair of wallet `index`, equal in every run. It is funded with 100 SOL and no USDC. */
  wallet(index: number): Keypair
  /**
   * Mints into the owner's associated token account, in a separate block. Answers the signature.
   */
  mintTo(owner: PublicKey, usdcBase: bigint): string
  /** Makes `slots` empty blocks. */
  advance(slots: number): void
  /** Skips `slots` slots, which get no block. The next block comes after them. */
  skip(slots: number): void
  /**
   * Loses the blocks of these slots, `last` included, as a node does that is restarted from a
   * snapshot or keeps only the newest: what it knows of accounts stays.
   */
  lose(first: number, last: number): void
  stop(): Promise<void>
}

/**
 * Starts a node. Every transaction gets its own block; `finalized` trails `confirmed` by
 * `finalizedLag` slots.
 */
export function startSolanaNode({ finalizedLag = 2 } = {}): SolanaNode {
  const ledger = openLedger(finalizedLag)
  const methods = rpcMethods(ledger)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.json().catch(() => null)
      if (!Array.isArray(body)) return Response.json(answer(methods, body))
      return Response.json(body.map((call) => answer(methods, call)))
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    mint: usdcMint,
    advance: (slots) => {
      for (let made = 0; made < slots; made++) ledger.makeBlock([])
    },
    skip: ledger.skip,
    lose: ledger.lose,
    stop: () => server.stop(true),
    wallet(index) {
      const keypair = Keypair.fromSeed(sha256(`wallet ${index}`))
      if (ledger.account(keypair.publicKey.toBase58()) === null) ledger.fund(keypair.publicKey)
      return keypair
    },
    mintTo(owner, usdcBase) {
      const account = getAssociatedTokenAddressSync(usdcMint, owner, true)
      const { publicKey: minter } = faucet
      return ledger.sendAsFaucet(
        createAssociatedTokenAccountIdempotentInstruction(minter, account, owner, usdcMint),
        createMintToInstruction(usdcMint, account, minter, usdcBase),
      )
    },
  }
}

type Address = Parameters<LiteSVM['getAccount']>[0]
type Wire = Parameters<LiteSVM['sendTransaction']>[0]
type Entry = {
  signature: string
  slot: number
  keys: string[]
  memo: string | null
  tx: VersionedTransaction
  meta: { err: unknown; logMessages: string[] } & Record<string, unknown>
}
type Block = {
  slot: number
  height: number
  hash: string
  parent: number
  time: number
  entries: Entry[]
  isLost: boolean
}
type Ledger = ReturnType<typeof openLedger>
type Options = Record<string, unknown>
type Method = (...params: never[]) => unknown

const usdcMint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const memoPrograms = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]
const faucet = Keypair.fromSeed(sha256('faucet'))
const walletLamports = 100_000_000_000n
const feePerSignature = 5000
/** How many blocks a blockhash stays valid for; also how long a skipped slot counts as recent. */
const blockhashWindow = 150

/** How many slots one question for blocks may span. */
const mostSlots = 500_000
/** How old the chain is when the node starts: its first block is, and no other. */
const genesisAgeSeconds = 7 * 86_400

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

function openLedger(finalizedLag: number) {
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

  /** The keys that lookup tables add: writable ones first, as the message numbers them. */
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
   * Executes a transaction in its own block. One that cannot pay its fee, or is a repetition, gets
   * none. Answers the error, or null.
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

/** The RPC methods by name, each taking its positional parameters. */
function rpcMethods(ledger: Ledger): Record<string, Method> {
  const { svm, blocks, bySlot, bySignature, tip, account } = ledger
  const kept = () => blocks.filter(({ isLost }) => !isLost)
  const inContext = (value: unknown, options?: Options) => ({
    context: { apiVersion: '3.0.0', slot: at(options).slot },
    value,
  })

  function at(options: Options = {}): Block {
    const block = tip(options.commitment ?? 'finalized')
    if (Number(options.minContextSlot ?? 0) <= block.slot) return block
    throw new RpcError(-32016, 'Minimum context slot has not been reached', {
      contextSlot: block.slot,
    })
  }

  function accountJson(key: string) {
    const found = account(addressOf(key))
    return (
      found && {
        data: [Buffer.from(found.data).toString('base64'), 'base64'],
        executable: found.executable,
        lamports: Number(found.lamports),
        owner: found.programAddress,
        rentEpoch: 0,
        space: found.data.length,
      }
    )
  }

  function blockAt(slot: number): Block {
    if (!Number.isSafeInteger(slot) || slot < 0) throw invalidParams('slot')
    const block = bySlot.get(slot)
    if (block && !block.isLost) return block
    const age = tip().slot - slot
    if (age < 0) throw new RpcError(-32004, `Block not available for slot ${slot}`)
    const [code, where] =
      age <= blockhashWindow
        ? [-32007, 'due to ledger jump to recent snapshot']
        : [-32009, 'in long-term storage']
    throw new RpcError(code as number, `Slot ${slot} was skipped, or missing ${where}`)
  }

  function slots(first: number, last: number, options?: Options): number[] {
    const end = Math.min(last, at(options).slot)
    return kept()
      .map(({ slot }) => slot)
      .filter((slot) => slot >= first && slot <= end)
  }

  function statusOf(signature: string) {
    const entry = bySignature.get(signature)
    if (!entry) return null
    const isFinal = entry.slot <= tip('finalized').slot
    return {
      slot: entry.slot,
      confirmations: isFinal ? null : tip().height - (bySlot.get(entry.slot)?.height ?? 0),
      err: entry.meta.err,
      status: entry.meta.status,
      confirmationStatus: isFinal ? 'finalized' : 'confirmed',
    }
  }

  function send(encoded: string, options: Options = {}): string {
    const tx = transactionOf(encoded, options)
    const signature = signatureOf(tx)
    if (bySignature.has(signature) && options.skipPreflight) return signature
    const isRecent = ledger.isRecent(tx.message.recentBlockhash)
    if (!options.skipPreflight) {
      const stale = { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0 }
      const { err, ...rest } = isRecent ? ledger.simulate(tx, true) : stale
      if (err === 'SignatureFailure')
        throw new RpcError(-32003, 'Transaction signature verification failure')
      if (err !== null) throw preflightFailure(err, rest)
    }
    if (isRecent) ledger.execute(tx)
    return signature
  }

  function signaturesFor(key: string, options: Options = {}) {
    const address = addressOf(key)
    const limit = Number(options.limit ?? 1000)
    if (!(limit >= 1 && limit <= 1000)) throw invalidParams('limit must be 1 to 1000')
    const newestFirst = kept()
      .filter(({ slot }) => slot <= at(options).slot)
      .flatMap(({ entries }) => entries)
      .toReversed()
    const start = newestFirst.findIndex(({ signature }) => signature === options.before) + 1
    const stop = newestFirst.findIndex(({ signature }) => signature === options.until)
    if (options.before && start === 0) return []
    return newestFirst
      .slice(start, stop === -1 ? undefined : stop)
      .filter(({ keys }) => keys.includes(address))
      .slice(0, limit)
      .map(({ signature, slot, memo, meta }) => ({
        ...{ signature, slot, memo, err: meta.err, blockTime: bySlot.get(slot)?.time ?? null },
        confirmationStatus: slot <= tip('finalized').slot ? 'finalized' : 'confirmed',
      }))
  }

  return {
    getFirstAvailableBlock: () => kept()[0]?.slot ?? 0,
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
    getGenesisHash: () => mainnetGenesis,
    getSlot: (options?: Options) => at(options).slot,
    getBlockHeight: (options?: Options) => at(options).height,
    getLatestBlockhash(options?: Options) {
      const { hash, height } = at(options)
      return inContext({ blockhash: hash, lastValidBlockHeight: height + blockhashWindow }, options)
    },
    isBlockhashValid: (hash: string, options?: Options) =>
      inContext(ledger.isRecent(hash), options),
    getBalance: (key: string, options?: Options) =>
      inContext(Number(account(addressOf(key))?.lamports ?? 0n), options),
    getAccountInfo: (key: string, options?: Options) => inContext(accountJson(key), options),
    getMultipleAccounts: (keys: string[], options?: Options) =>
      inContext(keys.map(accountJson), options),
    getTokenAccountBalance(key: string, options?: Options) {
      const [balance] = tokenBalance(account(addressOf(key)), 0)
      if (!balance) throw invalidParams('could not find account')
      return inContext(balance.uiTokenAmount, options)
    },
    getMinimumBalanceForRentExemption: (bytes: number) =>
      Number(svm.minimumBalanceForRentExemption(BigInt(bytes))),
    getFeeForMessage(message: string, options?: Options) {
      const signers = signersIn(Buffer.from(message, 'base64'))
      return inContext(signers * feePerSignature, options)
    },
    simulateTransaction(encoded: string, options: Options = {}) {
      const tx = transactionOf(encoded, options)
      const isRecent = options.replaceRecentBlockhash || ledger.isRecent(tx.message.recentBlockhash)
      const stale = { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0 }
      const result = isRecent ? ledger.simulate(tx, options.sigVerify === true) : stale
      return inContext({ ...result, accounts: null, returnData: null }, options)
    },
    sendTransaction: send,
    requestAirdrop: (key: string, lamports: number) =>
      ledger.sendAsFaucet(
        SystemProgram.transfer({
          fromPubkey: faucet.publicKey,
          toPubkey: new PublicKey(addressOf(key)),
          lamports,
        }),
      ),
    getSignatureStatuses: (signatures: string[]) =>
      inContext(signatures.map(statusOf), { commitment: 'confirmed' }),
    getSignaturesForAddress: signaturesFor,
    getTransaction(signature: string, options: Options = {}) {
      const entry = bySignature.get(signature)
      if (!entry || entry.slot > at(options).slot || bySlot.get(entry.slot)?.isLost) return null
      const blockTime = bySlot.get(entry.slot)?.time ?? null
      return { slot: entry.slot, blockTime, ...entryJson(entry, options) }
    },
    getBlock(slot: number, options: Options = {}) {
      const block = blockAt(slot)
      if (slot > at(options).slot)
        throw new RpcError(-32004, `Block not available for slot ${slot}`)
      const { transactionDetails = 'full' } = options
      const json = {
        blockhash: block.hash,
        previousBlockhash: bySlot.get(block.parent)?.hash ?? block.hash,
        parentSlot: block.parent,
        blockHeight: block.height,
        blockTime: block.time,
        rewards: [],
      }
      if (transactionDetails === 'none') return json
      if (transactionDetails === 'signatures')
        return { ...json, signatures: block.entries.map(({ signature }) => signature) }
      return { ...json, transactions: block.entries.map((entry) => entryJson(entry, options)) }
    },
    getBlocks(first: number, last?: number | Options, options?: Options) {
      if (typeof last !== 'number') return slots(first, first + mostSlots, last)
      if (Math.min(last, at(options).slot) - first > mostSlots)
        throw new RpcError(-32602, `Slot range too large; max ${mostSlots}`)
      return slots(first, last, options)
    },
    getBlocksWithLimit: (first: number, limit: number, options?: Options) =>
      slots(first, Infinity, options).slice(0, limit),
    getBlockTime: (slot: number) => blockAt(slot).time,
  }
}

function answer(methods: Record<string, Method>, call: unknown) {
  const { id = null, method, params = [] } = (call ?? {}) as Record<string, unknown>
  try {
    const run = Object.hasOwn(methods, String(method)) ? methods[String(method)] : undefined
    if (!run) throw new RpcError(-32601, 'Method not found')
    if (!Array.isArray(params)) throw invalidParams('expected an array')
    return { jsonrpc: '2.0', id, result: run(...(params as never[])) }
  } catch (error) {
    // Any other exception of a method comes from a parameter of the wrong shape.
    const { code, message, data } = error instanceof RpcError ? error : invalidParams(`${error}`)
    return { jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } }
  }
}

function invalidParams(detail: string): RpcError {
  return new RpcError(-32602, `Invalid params: ${detail}`)
}

function preflightFailure(err: unknown, rest: object): RpcError {
  const reason = typeof err === 'string' ? (reasons[err] ?? err) : instructionReason(err)
  return new RpcError(-32002, `Transaction simulation failed: ${reason}`, { err, ...rest })
}

const reasons: Record<string, string> = {
  BlockhashNotFound: 'Blockhash not found',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
}

function instructionReason(err: unknown): string {
  const [index, detail] = (err as { InstructionError?: unknown[] }).InstructionError ?? []
  const custom = (detail as { Custom?: number }).Custom
  const reason = custom === undefined ? detail : `custom program error: 0x${custom.toString(16)}`
  return `Error processing Instruction ${index}: ${reason}`
}

function addressOf(key: string): string {
  try {
    return new PublicKey(key).toBase58()
  } catch {
    throw invalidParams('not an address')
  }
}

function transactionOf(encoded: string, { encoding = 'base58' }: Options): VersionedTransaction {
  try {
    return VersionedTransaction.deserialize(
      encoding === 'base64' ? Buffer.from(encoded, 'base64') : base58.decode(encoded),
    )
  } catch {
    throw invalidParams('failed to deserialize the transaction')
  }
}

function signatureOf(tx: VersionedTransaction): string {
  return base58.encode(tx.signatures[0] ?? new Uint8Array())
}

function wire({ message, signatures }: VersionedTransaction): Wire {
  const signed = signatures.map((bytes, i) => [String(message.staticAccountKeys[i]), bytes])
  return { messageBytes: message.serialize(), signatures: Object.fromEntries(signed) } as never
}

/**
 * How many signers a message has. The first byte of a legacy message is that count; in a versioned
 * message the version byte comes first.
 */
function signersIn(message: Uint8Array): number {
  const [first = 0, second = 0] = message
  return first >= 128 ? second : first
}

function readOutcome(outcome: TransactionMetadata | FailedTransactionMetadata) {
  if (!(outcome instanceof FailedTransactionMetadata)) return { err: null, meta: outcome }
  return { err: errorJson(outcome.toString()), meta: outcome.meta() }
}

/**
 * Converts Rust's debug text, such as `InstructionError(0, Custom(1))`, to the error object of the
 * RPC.
 */
function errorJson(debug: string): unknown {
  const [, index, name, code] =
    debug.match(/err: InstructionError\(\s*(\d+),\s*(\w+)(?:\(\s*(\d+),?\s*\))?/) ?? []
  if (name === undefined) return debug.match(/err: (\w+)/)?.[1] ?? debug
  return { InstructionError: [Number(index), code === undefined ? name : { [name]: Number(code) }] }
}

/**
 * Whether a transaction belongs in the ledger despite `err`: only one that failed while running
 * pays a fee and is kept.
 */
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

function tokenBalance(account: ReturnType<Ledger['account']>, accountIndex: number) {
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

function entryJson({ tx, meta }: Entry, options: Options) {
  const { version } = tx.message
  const { encoding = 'json', maxSupportedTransactionVersion: max } = options
  if (version !== 'legacy' && max === undefined)
    throw new RpcError(-32015, `Transaction version (${version}) is not supported`)
  const shown = max === undefined ? {} : { version }
  if (encoding === 'json') return { meta, transaction: transactionJson(tx), ...shown }
  if (encoding !== 'base64') throw invalidParams('encoding: json or base64')
  const bytes = Buffer.from(tx.serialize()).toString('base64')
  return { meta, transaction: [bytes, 'base64'], ...shown }
}

function transactionJson({ message, signatures }: VersionedTransaction) {
  const lookups = message.addressTableLookups.map((lookup) => ({
    ...lookup,
    accountKey: lookup.accountKey.toBase58(),
  }))
  return {
    signatures: signatures.map((signature) => base58.encode(signature)),
    message: {
      header: message.header,
      accountKeys: message.staticAccountKeys.map(String),
      recentBlockhash: message.recentBlockhash,
      instructions: message.compiledInstructions.map((instruction) => ({
        programIdIndex: instruction.programIdIndex,
        accounts: [...instruction.accountKeyIndexes],
        data: base58.encode(instruction.data),
        stackHeight: null,
      })),
      ...(message.version === 'legacy' ? {} : { addressTableLookups: lookups }),
    },
  }
}

function mintData(): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(MINT_SIZE)
  const none = { freezeAuthorityOption: 0, freezeAuthority: PublicKey.default } as const
  const authority = { mintAuthorityOption: 1, mintAuthority: faucet.publicKey } as const
  MintLayout.encode({ ...authority, ...none, supply: 0n, decimals: 6, isInitialized: true }, data)
  return data
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
