import { base58, hex } from '@scure/base'
import { isUuid } from '../domain/id.ts'
import { ChainError } from './chain.ts'
import {
  accountsOf,
  keyAt,
  type RawInstruction,
  type RawTransaction,
  readTokenCalls,
  type TokenCall,
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
  readonly memos: readonly string[]
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
  const moving = readTokenCalls(raw).filter(
    ({ from, to, usdcBase }) => usdcBase > 0n && from !== to,
  )
  const paying = moving.filter(({ to }) => tokenAccounts.has(keyAt(keys, to)))
  const memos = message.instructions.flatMap((own, instruction) =>
    memoOf(own, keys).map((text) => ({ instruction, text })),
  )
  const memosOf = inTurn(memos, paymentsAmong(moving, paying))
  return paying.map((call) => {
    const authority = keyAt(keys, call.authority)
    const attached = call.others
      .filter((account) => account >= message.header.numRequiredSignatures)
      .map((account) => referenceOf(keyAt(keys, account)))
    return {
      position: call.position,
      from: owners.get(call.from) ?? authority,
      authority,
      to: keyAt(keys, call.to),
      usdcBase: call.usdcBase,
      references: [...new Set(attached)],
      memos: [...new Set(memosOf(call))],
    }
  })
}

type Memo = { readonly instruction: number; readonly text: string }

/**
 * The calls that pay somebody: `ours` and those to others. An instruction that fills an account
 * which pays us, as a swap does, only brings the money for it.
 */
function paymentsAmong(
  moving: readonly TokenCall[],
  ours: readonly TokenCall[],
): readonly TokenCall[] {
  const paidFrom = new Set(ours.map(({ from }) => from))
  const filling = new Set(
    moving.filter(({ to }) => paidFrom.has(to)).map(({ instruction }) => instruction),
  )
  return moving.filter((call) => ours.includes(call) || !filling.has(call.instruction))
}

/**
 * Which memos are meant for each payment of a transaction; payments to others count, as their memos
 * are not ours. A single payment has them all. Of several, a memo is meant for the next one, as
 * Solana Pay orders them; where one has no next, each is meant for the one before it. In any other
 * order, and where one payment would have two that differ, all are meant for all: payments that may
 * be meant for two invoices go to neither.
 */
function inTurn(
  memos: readonly Memo[],
  payments: readonly TokenCall[],
): (payment: TokenCall) => readonly string[] {
  const texts = memos.map(({ text }) => text)
  const next = memos.map((memo) =>
    payments.find(({ instruction }) => instruction > memo.instruction),
  )
  const last = memos.map((memo) =>
    payments.findLast(({ instruction }) => instruction < memo.instruction),
  )
  const meant = [next, last].find((turns) => !turns.includes(undefined) && isOneEach(memos, turns))
  if (payments.length === 1 || !meant) return () => texts
  return (payment) => texts.filter((_, at) => meant[at] === payment)
}

/** Whether no payment has two memos that differ; `turns` are the payments, memo by memo. */
function isOneEach(memos: readonly Memo[], turns: readonly (TokenCall | undefined)[]): boolean {
  const said = memos.map(({ text }, at) => ({ text, payment: turns[at] }))
  return said.every(({ text, payment }) =>
    said.every((other) => other.payment !== payment || other.text === text),
  )
}

/**
 * The text of a memo in lower case, if it may name an invoice. Only whole memos at the top level,
 * the payer's own, count.
 */
function memoOf(
  { programIdIndex, data }: RawInstruction,
  keys: readonly string[],
): readonly string[] {
  if (!memoPrograms.includes(keyAt(keys, programIdIndex))) return []
  const text = new TextDecoder().decode(base58.decode(data)).toLowerCase()
  return isUuid(text) || aReference.test(text) ? [text] : []
}

function referenceOf(account: string): string {
  return `0x${hex.encode(base58.decode(account))}`
}

const memoPrograms: readonly string[] = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]
const aReference = /^0x[0-9a-f]{64}$/
