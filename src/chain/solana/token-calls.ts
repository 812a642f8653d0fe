import { base58 } from '@scure/base'
import { tokenProgram } from '../../domain/address.ts'
import { ChainError } from '../chain.ts'

/** A transaction as `getTransaction` answers it with `encoding: 'json'`. */
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
    readonly preTokenBalances?: readonly RawBalance[] | null
    readonly postTokenBalances?: readonly RawBalance[] | null
  } | null
}

/** `data` is base58; the numbers are indices into the transaction's accounts. */
export type RawInstruction = {
  readonly programIdIndex: number
  readonly accounts: readonly number[]
  readonly data: string
}

export type RawBalance = {
  readonly accountIndex: number
  readonly owner?: string
  readonly uiTokenAmount: { readonly amount: string }
}

/**
 * A transfer or mint by the Token program; accounts are indices. `instruction` is the transaction's
 * own instruction that makes the call, `position` counts inner ones too. Each further call of a
 * batch is at `batchStride` more.
 */
export type TokenCall = {
  readonly position: number
  readonly instruction: number
  readonly from: number
  /** What was minted comes from nobody; `from` is then the mint. */
  readonly isMint: boolean
  readonly to: number
  readonly authority: number
  /** Co-signers and, by Solana Pay, references. */
  readonly others: readonly number[]
  readonly usdcBase: bigint
}

export function accountsOf({ transaction, meta }: RawTransaction): readonly string[] {
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  return [...transaction.message.accountKeys, ...writable, ...readonly]
}

export function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index]
  if (key !== undefined) return key
  throw new ChainError(
    'invalid_answer',
    `a transaction names account ${index} and does not list it`,
  )
}

export function refuseIncomplete({ meta }: RawTransaction): void {
  if (meta === null) throw new ChainError('invalid_answer', 'a transaction came without its meta')
  if (meta.err === null && !meta.innerInstructions)
    throw new ChainError('invalid_answer', 'a transaction came without its inner instructions')
}

/** An instruction as it was executed, with those of programs that were called by others. */
export type Executed = RawInstruction & Pick<TokenCall, 'position' | 'instruction'>

/** Of a successful transaction, in order. Throws `ChainError`. */
export function executedIn(raw: RawTransaction): readonly Executed[] {
  refuseIncomplete(raw)
  const inner = new Map(
    raw.meta?.innerInstructions?.map((group) => [group.index, group.instructions]),
  )
  return raw.transaction.message.instructions
    .flatMap((own, instruction) =>
      [own, ...(inner.get(instruction) ?? [])].map((one) => ({ ...one, instruction })),
    )
    .map((one, position) => ({ ...one, position }))
}

/** Of a successful transaction, in order. Throws `ChainError`. */
export function readTokenCalls(raw: RawTransaction): readonly TokenCall[] {
  const keys = accountsOf(raw)
  return executedIn(raw).flatMap(({ programIdIndex, accounts, data, instruction, position }) => {
    if (keyAt(keys, programIdIndex) !== tokenProgram || data.length > longestCall) return []
    const bytes = base58.decode(data)
    const called = bytes[0] === batchTag ? batched(bytes, accounts) : [{ bytes, accounts }]
    return called.flatMap((one, at) =>
      readCall(one, { position: position + at * batchStride, instruction }),
    )
  })
}

/** Where among the executed instructions a call was made. */
export function placeOf({ position }: Pick<TokenCall, 'position'>): number {
  return position % batchStride
}

type Called = { readonly bytes: Uint8Array; readonly accounts: readonly number[] }

/**
 * A batch holds for each call the number of its accounts and the length of its data (one byte
 * each), then the data. Any other form cannot succeed.
 */
function batched(bytes: Uint8Array, accounts: readonly number[]): readonly Called[] {
  const called: Called[] = []
  let taken = 0
  let at = 1
  while (at < bytes.length) {
    const [accountCount = 0, length = 0] = bytes.subarray(at, at + 2)
    const start = at + 2
    at = start + length
    const own = {
      bytes: bytes.subarray(start, at),
      accounts: accounts.slice(taken, taken + accountCount),
    }
    taken += accountCount
    if (length === 0 || at > bytes.length || taken > accounts.length) return []
    called.push(own)
  }
  return called
}

function readCall(
  { bytes, accounts }: Called,
  place: Pick<TokenCall, 'position' | 'instruction'>,
): readonly TokenCall[] {
  const tag = bytes[0] ?? -1
  if (!transferTags.includes(tag)) return []
  // `transferChecked` names the mint between the two accounts.
  const [from = -1, to = -1, authority = -1, ...others] =
    tag === transferCheckedTag ? accounts.toSpliced(1, 1) : accounts
  const usdcBase = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(1, true)
  const isMint = mintTags.includes(tag)
  return [{ ...place, from, isMint, to, authority, others, usdcBase }]
}

/** A batch is shorter. Anybody can make calls that take too long to decode. */
const longestCall = 2_048
/** More than the number of instructions a transaction can execute, which is at most 64. */
const batchStride = 1_000
const transferCheckedTag = 12
/** Transfers and mints, with and without a check: bridged USDC may be minted to us. */
const transferTags = [3, 7, transferCheckedTag, 14]
const mintTags = [7, 14]
const batchTag = 255
