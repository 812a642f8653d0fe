import { base58, hex } from '@scure/base'
import { isUuid } from '../../domain/id.ts'
import { noSender } from '../../domain/network.ts'
import {
  accountsOf,
  type Executed,
  executedIn,
  keyAt,
  placeOf,
  type RawTransaction,
  readTokenCalls,
  refuseIncomplete,
  type TokenCall,
} from './token-calls.ts'

/**
 * `from` is the wallet that owns the paying token account, or `noSender`; `authority` is the wallet
 * that signed, maybe a delegate; `to` is the token account paid.
 */
export type TokenTransfer = {
  readonly position: number
  readonly from: string
  readonly authority: string
  readonly to: string
  readonly usdcBase: bigint
  readonly references: readonly string[]
  readonly memos: readonly string[]
  readonly unsureMemos?: readonly string[]
}

/** The transfers above zero into `tokenAccounts` (of one mint), in order. */
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
  // A smart account's memos are in its inner instructions, like its transfers.
  const memos = executedIn(raw).flatMap((one) =>
    memoOf(one, keys).map((text) => ({ place: placeOf(one), text })),
  )
  const isSigner = (account: number) => account < message.header.numRequiredSignatures
  const memosOf = assignMemos(memos, paymentsAmong(moving, paying, isSigner))
  return paying.map((call) => {
    const authority = keyAt(keys, call.authority)
    const attached = call.others
      .filter((account) => !isSigner(account))
      .map((account) => referenceOf(keyAt(keys, account)))
    return {
      position: call.position,
      from: call.isMint ? noSender.solana : (owners.get(call.from) ?? authority),
      authority,
      to: keyAt(keys, call.to),
      usdcBase: call.usdcBase,
      references: unique(attached),
      ...memosOf(call),
    }
  })
}

type Memo = { readonly place: number; readonly text: string }

/**
 * The calls that pay somebody. An instruction that fills an account which pays us, as a swap does,
 * pays nobody; beside a single call that pays us, the rest of its instruction is a fee or the
 * price.
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

type PaymentMemos = Pick<TokenTransfer, 'memos' | 'unsureMemos'>

/**
 * Assigns memos to payments, those to others included. One payment has all. Of several, each memo
 * is for the next one (Solana Pay), or else for the one before it. If one would have two that
 * differ, all are uncertain; in any other order all memos are for all payments.
 */
function assignMemos(
  memos: readonly Memo[],
  payments: readonly TokenCall[],
): (payment: TokenCall) => PaymentMemos {
  const texts = memos.map(({ text }) => text)
  const next = memos.map(({ place }) => payments.find((payment) => placeOf(payment) > place))
  const last = memos.map(({ place }) => payments.findLast((payment) => placeOf(payment) < place))
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

function isOneEach(memos: readonly Memo[], turns: readonly (TokenCall | undefined)[]): boolean {
  const assigned = memos.map(({ text }, at) => ({ text, payment: turns[at] }))
  return assigned.every(({ text, payment }) =>
    assigned.every((other) => other.payment !== payment || other.text === text),
  )
}

/** A memo that may name an invoice. */
function memoOf({ programIdIndex, data }: Executed, keys: readonly string[]): readonly string[] {
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
