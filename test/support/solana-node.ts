import { base58 } from '@scure/base'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import { Keypair, PublicKey, SystemProgram, VersionedTransaction } from '@solana/web3.js'
import {
  type Block,
  blockhashWindow,
  type Entry,
  faucet,
  feePerSignature,
  type Ledger,
  openLedger,
  sha256,
  signatureOf,
  signersIn,
  tokenBalance,
  usdcMint,
} from './solana-ledger.ts'

export type SolanaNode = ReturnType<typeof startSolanaNode>

/** `finalized` trails `confirmed` by `finalizedLag` slots. */
export function startSolanaNode({ finalizedLag = 2 } = {}) {
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
    /** At its mainnet address. */
    mint: usdcMint,
    advance: (slots: number) => {
      for (let made = 0; made < slots; made++) ledger.makeBlock([])
    },
    /** Slots without a block. */
    skip: ledger.skip,
    /** Like a node restarted from a snapshot, which keeps accounts. `last` is included. */
    lose: ledger.lose,
    stop: () => server.stop(true),
    /** Equal in every run; funded with 100 SOL and no USDC. */
    wallet(index: number) {
      const keypair = Keypair.fromSeed(sha256(`wallet ${index}`))
      if (ledger.account(keypair.publicKey.toBase58()) === null) ledger.fund(keypair.publicKey)
      return keypair
    },
    /** Into the owner's associated token account, in a separate block. Answers the signature. */
    mintTo(owner: PublicKey, usdcBase: bigint) {
      const account = getAssociatedTokenAddressSync(usdcMint, owner, true)
      const { publicKey: minter } = faucet
      return ledger.sendAsFaucet(
        createAssociatedTokenAccountIdempotentInstruction(minter, account, owner, usdcMint),
        createMintToInstruction(usdcMint, account, minter, usdcBase),
      )
    },
  }
}

type Options = Record<string, unknown>
type Method = (...params: never[]) => unknown

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

const mostSlots = 500_000

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

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
    // Any other exception comes from a parameter of the wrong shape.
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
