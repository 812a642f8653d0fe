import { base58, hex } from '@scure/base'
import { isUuid } from '../domain/id.ts'
import { ChainError } from './chain.ts'
import {
  accountsOf,
  keyAt,
  type RawInstruction,
  type RawTransaction,
  readTokenCalls,
} from './solana-token-calls.ts'

/**
 * A transfer or mint as its transaction reports it. `position` is that of its call; `from` is the
 * wallet that owns the paying token account, or the mint's authority for a mint; `authority` is the
 * wallet that signed, which may be a delegate of the owner; `to` is the token account paid.
 */
export type TokenTransfer = {
  readonly position: number
  readonly from: string
  readonly authority: string
  readonly to: string
  readonly usdcBase: bigint
  readonly references: readonly string[]
  readonly writtenInvoiceIds: readonly string[]
}

/**
 * The transfers above zero into `tokenAccounts`, in order; empty for a failed transaction.
 * `tokenAccounts` are associated accounts of one mint, which is therefore not checked.
 *
 * Amounts are those the Token program was called with in a successful transaction. No other program
 * can move its balances, so they cannot be faked, and two payments in one transaction stay two.
 *
 * Throws `ChainError` where the node left out what payments are read from.
 */
export function readTransfers(
  raw: RawTransaction,
  tokenAccounts: { has(account: string): boolean },
): readonly TokenTransfer[] {
  const { transaction, meta } = raw
  if (meta === null) throw new ChainError('invalid_answer', 'a transaction came without its meta')
  if (meta.err !== null) return []
  const { message } = transaction
  const keys = accountsOf(raw)
  const owners = new Map(meta.preTokenBalances?.map((one) => [one.accountIndex, one.owner]))
  const memos = message.instructions.flatMap((own) => memoOf(own, keys))
  const named = memos.filter((memo) => aReference.test(memo))
  const writtenInvoiceIds = [...new Set(memos.filter(isUuid))]
  return readTokenCalls(raw).flatMap((call): readonly TokenTransfer[] => {
    if (call.usdcBase === 0n || call.from === call.to) return []
    if (!tokenAccounts.has(keyAt(keys, call.to))) return []
    const authority = keyAt(keys, call.authority)
    const attached = call.others
      .filter((account) => account >= message.header.numRequiredSignatures)
      .map((account) => referenceOf(keyAt(keys, account)))
    return [
      {
        position: call.position,
        from: owners.get(call.from) ?? authority,
        authority,
        to: keyAt(keys, call.to),
        usdcBase: call.usdcBase,
        references: [...new Set([...named, ...attached])],
        writtenInvoiceIds,
      },
    ]
  })
}

/** The text of a memo in lower case. Only whole memos at the top level, the payer's own, count. */
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

const memoPrograms: readonly string[] = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]
const aReference = /^0x[0-9a-f]{64}$/
