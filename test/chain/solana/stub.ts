import { base58 } from '@scure/base'
import { mainnetGenesisHash } from '../../../src/chain/solana/solana.ts'

/** The contents of the stub's ledger: one transaction for each payment into a token account. */
export type Ledger = {
  readonly genesisHash: string
  /** The time of slot 0 in Unix seconds; each slot takes a second. */
  readonly startedAt: number
  readonly finalized: number
  /**
   * The newest slot known to the node that answers `getSignaturesForAddress` behind the same URL.
   */
  readonly listedTo: number
  /** How many slots after its own a transaction is listed; 0 by default. */
  readonly listedAfter?: number
  readonly skipped: readonly number[]
  /**
   * The slots, first and last, that the node lacks because it was restarted from a later snapshot.
   */
  readonly lost?: readonly [number, number] | undefined
  readonly payments: readonly {
    readonly signature: string
    readonly slot: number
    readonly account: string
    readonly usdcBase: bigint
    readonly err: unknown
    /** The wallet that owns what is sent; by default the one that signs, `payer`. */
    readonly owner?: string
    /** The signature is listed, but the node does not have the transaction. */
    readonly isLost: boolean
    /** The version of the transaction; 0 by default. */
    readonly version?: number
    readonly memo?: string | readonly string[]
    /** By how much the account's balance rose beyond the amount of its transfer. */
    readonly surplusUsdcBase?: bigint
    /** The address of a Solana Pay reference account. */
    readonly reference?: string
  }[]
}

/** A ledger of these payments, all of whose slots up to `head` have blocks. */
export function ledgerOf(payments: Ledger['payments'], head = 300): Ledger {
  return {
    genesisHash: mainnetGenesisHash,
    startedAt: 1_700_000_000,
    finalized: head,
    listedTo: head,
    skipped: [],
    payments,
  }
}

type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Supported = { readonly maxSupportedTransactionVersion: number }
type Page = { readonly limit: number; readonly before?: string; readonly minContextSlot: number }

/**
 * A server that answers the adapter's requests as Agave does, including faults that no real node
 * shows on demand.
 */
export function startSolanaStub(ledger: Ledger) {
  const newestFirst = ledger.payments.toSorted((a, b) => b.slot - a.slot)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const requests = (await incoming.json()) as readonly Request[]
      return Response.json(requests.map(({ id, ...call }) => ({ jsonrpc: '2.0', id, ...to(call) })))
    },
  })
  return { url: server.url.href, stop: () => server.stop(true) }

  function to({ method, params }: Omit<Request, 'id'>): object {
    const [at, options] = params
    if (method === 'getGenesisHash') return { result: ledger.genesisHash }
    if (method === 'getSlot') return { result: ledger.finalized }
    if (method === 'getBlocks') return { result: blocks(at as number, options as number) }
    if (method === 'getBlocksWithLimit')
      return { result: blocks(at as number, ledger.finalized).slice(0, options as number) }
    if (method === 'getBlock') return block(at as number)
    if (method === 'getTransaction') return transaction(at as string, options as Supported)
    return signatures(at as string, options as Page)
  }

  function blocks(from: number, to: number): readonly number[] {
    const end = Math.min(to, ledger.finalized)
    const slots = Array.from({ length: Math.max(0, end - from + 1) }, (_, at) => from + at)
    return slots.filter((slot) => isMade(slot) && !isLost(slot))
  }

  function isMade(slot: number): boolean {
    return !ledger.skipped.includes(slot)
  }

  function isLost(slot: number): boolean {
    const [from, to] = ledger.lost ?? [1, 0]
    return slot >= from && slot <= to
  }

  function block(slot: number): object {
    if (!isMade(slot) || isLost(slot)) {
      const message = `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`
      return { error: { code: -32007, message } }
    }
    let parentSlot = slot - 1
    while (!isMade(parentSlot)) parentSlot--
    const blockTime = ledger.startedAt + slot
    return { result: { blockhash: `block ${slot}`, parentSlot, blockTime } }
  }

  function signatures(account: string, { limit, before, minContextSlot }: Page): object {
    if (minContextSlot > ledger.listedTo) {
      return { error: { code: -32016, message: 'Minimum context slot has not been reached' } }
    }
    const newest = ledger.finalized - (ledger.listedAfter ?? 0)
    const all = newestFirst.filter(
      (one) => one.account === account && one.slot <= newest && !isLost(one.slot),
    )
    const at = all.findIndex(({ signature }) => signature === before)
    // Of what was before one that it does not know, a node lists nothing.
    const page = before && at < 0 ? [] : all.slice(at + 1, at + 1 + limit)
    return { result: page.map(({ signature, slot, err }) => ({ signature, slot, err })) }
  }

  function transaction(signature: string, supported: Supported): object {
    const payment = newestFirst.find((one) => one.signature === signature)
    if (!payment || payment.isLost) return { result: null }
    const { version = 0 } = payment
    if (version > supported.maxSupportedTransactionVersion) {
      const message = `Transaction version (${version}) is not supported by the requesting client`
      return { error: { code: -32015, message } }
    }
    const data = new Uint8Array(9)
    data[0] = 3
    new DataView(data.buffer).setBigUint64(1, payment.usdcBase, true)
    const { slot, account, err, owner, memo, reference, surplusUsdcBase = 0n } = payment
    const said = [memo ?? []].flat().map((text) => ({
      programIdIndex: 4,
      accounts: [],
      data: base58.encode(Buffer.from(text)),
    }))
    const accounts = reference ? [1, 2, 0, 5] : [1, 2, 0]
    const paid = { programIdIndex: 3, accounts, data: base58.encode(data) }
    const result = {
      slot,
      version,
      transaction: {
        message: {
          accountKeys: ['payer', 'source', account, tokenProgram, memoProgram, reference ?? ''],
          header: { numRequiredSignatures: 1 },
          instructions: [...said, paid],
        },
      },
      meta: {
        err,
        innerInstructions: [],
        preTokenBalances: owner ? [{ accountIndex: 1, owner }] : [],
        postTokenBalances: [
          { accountIndex: 2, uiTokenAmount: { amount: `${payment.usdcBase + surplusUsdcBase}` } },
        ],
      },
    }
    return { result }
  }
}

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
