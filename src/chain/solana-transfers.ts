import { base58, hex } from '@scure/base'
import { isUuid } from '../domain/id.ts'
import { ChainError } from './chain.ts'
import { tokenProgram } from './solana-accounts.ts'

/** A transaction as `getTransaction` answers it with `encoding: 'json'`; version 0 ones carry `loadedAddresses`. */
export type RawTransaction = {
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly string[]
      readonly header: { readonly numRequiredSignatures: number }
      readonly instructions: readonly RawInstruction[]
    }
  }
  readonly meta: {
    readonly err: unknown
    readonly innerInstructions?:
      | readonly { readonly index: number; readonly instructions: readonly RawInstruction[] }[]
      | null
    readonly loadedAddresses?: {
      readonly writable: readonly string[]
      readonly readonly: readonly string[]
    }
    readonly preTokenBalances?:
      | readonly { readonly accountIndex: number; readonly owner?: string }[]
      | null
  } | null
}

/** `data` is base58; `accounts` and `programIdIndex` point into the transaction's accounts. */
export type RawInstruction = {
  readonly programIdIndex: number
  readonly accounts: readonly number[]
  readonly data: string
}

/**
 * A transfer as a transaction tells it. `position` counts every instruction in the order of execution, inner ones included;
 * `from` is the wallet behind the paying token account, `to` the token account paid.
 */
export type TokenTransfer = {
  readonly position: number
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly references: readonly string[]
  readonly writtenInvoiceIds: readonly string[]
}

/**
 * The transfers above zero into `tokenAccounts`, in order; none of a failed transaction. Amounts are those the Token program was
 * called with in a transaction that succeeded: nobody else can move its balances, so they cannot be faked, and two
 * payments in one transaction stay two. `tokenAccounts` are associated accounts of one mint, which is therefore not asked for.
 * Throws `ChainError` where the node left out what tells whether there was a payment.
 */
export function readTransfers(
  { transaction, meta }: RawTransaction,
  tokenAccounts: ReadonlySet<string>,
): readonly TokenTransfer[] {
  if (meta === null) throw new ChainError('invalid_answer', 'a transaction came without its meta')
  if (meta.err !== null) return []
  if (!meta.innerInstructions) {
    throw new ChainError('invalid_answer', 'a transaction came without its inner instructions')
  }
  const { message } = transaction
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const keys = [...message.accountKeys, ...writable, ...readonly]
  const inner = new Map(meta.innerInstructions.map((group) => [group.index, group.instructions]))
  const executed = message.instructions.flatMap((own, at) => [own, ...(inner.get(at) ?? [])])
  const owners = new Map(meta.preTokenBalances?.map((one) => [one.accountIndex, one.owner]))
  const memos = message.instructions.flatMap((own) => memoOf(own, keys))
  const named = memos.filter((memo) => aReference.test(memo))
  const writtenInvoiceIds = [...new Set(memos.filter(isUuid))]
  return executed.flatMap((instruction, position): TokenTransfer[] => {
    const call = readCall(instruction, keys)
    if (!call || call.usdcBase === 0n || call.from === call.to) return []
    if (!tokenAccounts.has(keyAt(keys, call.to))) return []
    const attached = call.others
      .filter((account) => account >= message.header.numRequiredSignatures)
      .map((account) => referenceOf(keyAt(keys, account)))
    return [
      {
        position,
        from: owners.get(call.from) ?? keyAt(keys, call.authority),
        to: keyAt(keys, call.to),
        usdcBase: call.usdcBase,
        references: [...new Set([...named, ...attached])],
        writtenInvoiceIds,
      },
    ]
  })
}

type TokenCall = {
  readonly from: number
  readonly to: number
  readonly authority: number
  /** Accounts behind those the Token program needs: co-signers and, after Solana Pay, references. */
  readonly others: readonly number[]
  readonly usdcBase: bigint
}

function readCall(
  { programIdIndex, accounts, data }: RawInstruction,
  keys: readonly string[],
): TokenCall | undefined {
  if (keyAt(keys, programIdIndex) !== tokenProgram) return undefined
  const bytes = base58.decode(data)
  const isChecked = bytes[0] === transferCheckedTag
  if (!isChecked && bytes[0] !== transferTag) return undefined
  // `transferChecked` names the mint between the two accounts.
  const [from = -1, to = -1, authority = -1, ...others] = isChecked
    ? accounts.toSpliced(1, 1)
    : accounts
  const usdcBase = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(1, true)
  return { from, to, authority, others, usdcBase }
}

/** What a memo says. Only whole memos count, and only those the payer wrote at the top level. */
function memoOf(
  { programIdIndex, data }: RawInstruction,
  keys: readonly string[],
): readonly string[] {
  if (!memoPrograms.includes(keyAt(keys, programIdIndex))) return []
  return [new TextDecoder().decode(base58.decode(data)).toLowerCase()]
}

function referenceOf(account: string): string {
  return `0x${hex.encode(base58.decode(account))}`
}

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index]
  if (key !== undefined) return key
  throw new ChainError(
    'invalid_answer',
    `a transaction names account ${index} and does not list it`,
  )
}

const memoPrograms: readonly string[] = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]
const aReference = /^0x[0-9a-f]{64}$/
const transferTag = 3
const transferCheckedTag = 12
