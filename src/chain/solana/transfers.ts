import { base58, hex } from '@scure/base'
import { isUuid } from '../../domain/id.ts'
import {
  accountsOf,
  keyAt,
  type RawInstruction,
  type RawTransaction,
  readTokenCalls,
  refuseIncomplete,
  type TokenCall,
} from './token-calls.ts'

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
  /** All memos of the transaction, where it is not sure which payments they are meant for. */
  readonly unsureMemos?: readonly string[]
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
  refuseIncomplete(raw)
  if (meta?.err !== null) return []
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
  const isSigner = (account: number) => account < message.header.numRequiredSignatures
  const saidOf = inTurn(memos, paymentsAmong(moving, paying, isSigner))
  return paying.map((call) => {
    const authority = keyAt(keys, call.authority)
    const attached = call.others
      .filter((account) => !isSigner(account))
      .map((account) => referenceOf(keyAt(keys, account)))
    return {
      position: call.position,
      from: owners.get(call.from) ?? authority,
      authority,
      to: keyAt(keys, call.to),
      usdcBase: call.usdcBase,
      references: unique(attached),
      ...saidOf(call),
    }
  })
}

type Memo = { readonly instruction: number; readonly text: string }

/**
 * The calls that pay somebody: `ours` and those to others. An instruction that fills an account
 * which pays us, as a swap does, only brings the money for it, and so does one that fills what a
 * signer gives for that. Beside a single call that pays us its instruction pays nobody else: what
 * goes to others is a fee, or what is given for the money.
 */
function paymentsAmong(
  moving: readonly TokenCall[],
  ours: readonly TokenCall[],
  isSigner: (account: number) => boolean,
): readonly TokenCall[] {
  const paidFrom = new Set(ours.map(({ from }) => from))
  const filling = new Set<number>()
  const byInstruction = [...Map.groupBy(moving, ({ instruction }) => instruction)]
  for (const [instruction, calls] of byInstruction.toReversed()) {
    const isFilling = calls.some(({ to }) => paidFrom.has(to))
    if (isFilling) filling.add(instruction)
    if (!isFilling && !calls.some((call) => ours.includes(call))) continue
    for (const { from, authority } of calls) if (isSigner(authority)) paidFrom.add(from)
  }
  const isForOurs = ({ instruction }: TokenCall) =>
    filling.has(instruction) || ours.filter((own) => own.instruction === instruction).length === 1
  return moving.filter((call) => ours.includes(call) || !isForOurs(call))
}

/** What memos say about a payment. */
type Said = Pick<TokenTransfer, 'memos' | 'unsureMemos'>

/**
 * What the memos of a transaction say about each of its payments; payments to others count, as
 * their memos are not ours. A single payment has them all. Of several, a memo is meant for the next
 * one, as Solana Pay orders them; where one has no next, each is meant for the one before it. Where
 * one payment would have two that differ, they may be meant for two payments, and unless they are
 * two spellings of one name all payments are in doubt. In any other order all are meant for all:
 * payments that may be meant for two invoices go to neither.
 */
function inTurn(
  memos: readonly Memo[],
  payments: readonly TokenCall[],
): (payment: TokenCall) => Said {
  const texts = memos.map(({ text }) => text)
  const next = memos.map((memo) =>
    payments.find(({ instruction }) => instruction > memo.instruction),
  )
  const last = memos.map((memo) =>
    payments.findLast(({ instruction }) => instruction < memo.instruction),
  )
  const orders = [next, last].filter((turns) => !turns.includes(undefined))
  const sure = orders.find((turns) => isOneEach(memos, turns))
  const meant = sure ?? orders[0]
  if (payments.length === 1 || !meant) return () => ({ memos: unique(texts) })
  return (payment) => ({
    memos: unique(texts.filter((_, at) => meant[at] === payment)),
    ...(!sure && { unsureMemos: unique(texts) }),
  })
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
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
  const isMemo = memoPrograms.includes(keyAt(keys, programIdIndex))
  if (!isMemo || data.length > longestMemo) return []
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
/** In base58, which takes 91 for a reference; what is much longer is not decoded at all. */
const longestMemo = 100
const aReference = /^0x[0-9a-f]{64}$/
