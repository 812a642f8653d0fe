import { type Command, decide } from '../domain/invoices/decide.ts'
import { type Event, evolve } from '../domain/invoices/evolve.ts'
import type * as Invoice from '../domain/invoices/invoice.ts'
import type { MatchedBy } from '../domain/invoices/progress.ts'
import type { Purchase } from '../domain/purchases/purchase.ts'
import * as Receipt from '../domain/receipts/receipt.ts'
import type { Change } from '../storage/invoices/invoices.ts'
import type { IssuedReceipt, Payments } from '../storage/settlement/settlements.ts'
import type { StoredTransfer } from '../storage/settlement/transfers.ts'
import { changeOf } from './invoices.ts'
import { newReceiptId, newSeed } from './receipts.ts'

type Name = Pick<StoredTransfer, 'chain' | 'txHash' | 'position'>

type Paid = Name & Pick<StoredTransfer, 'usdcBase' | 'blockNumber' | 'blockTimeMs' | 'from'>

type Seen = Pick<Paid, 'blockNumber' | 'from'> & Partial<Pick<Paid, 'blockTimeMs'>>

/** An invoice's change with the receipts it issues, and the ids of those it revokes. */
export type Decided = {
  readonly change: Change
  readonly issued: readonly IssuedReceipt[]
  readonly revoked: readonly string[]
}

/** A transfer's key, as payments and logs write it: `chain:txHash:position`. */
export function keyOf({ chain, txHash, position }: Name): string {
  return `${chain}:${txHash}:${position}`
}

export function credit(transfer: Paid, matchedBy: MatchedBy, asked?: true): Command {
  const { usdcBase, txHash, blockNumber, blockTimeMs, from } = transfer
  const blockTime = new Date(blockTimeMs).toISOString()
  const seen = { usdcBase, txHash, blockNumber, blockTime, from, matchedBy }
  const payment = { ...seen, ...(asked && { asked }) }
  return { kind: 'credit', payment: { key: keyOf(transfer), ...payment, confirmed: false } }
}

/** The command for a transfer that is no longer in the chain. */
export function revert(transfer: Name): Command {
  return { kind: 'revert', key: keyOf(transfer) }
}

/** The command for a confirmed payment; confirmations are counted from block `head`. */
export function confirm(
  key: string,
  { blockNumber, blockTimeMs, from }: Seen,
  head: number,
  newId: () => string,
): Command {
  return {
    kind: 'confirm',
    key,
    blockNumber,
    ...(blockTimeMs !== undefined && { blockTime: new Date(blockTimeMs).toISOString() }),
    from,
    confirmations: head - blockNumber + 1,
    ...settlementIds(newId),
  }
}

/** Settles again after a failed settlement, if the remaining confirmed payments suffice. */
export function settleAnew(head: number, newId: () => string): Command {
  return { kind: 'settle_anew', head, ...settlementIds(newId) }
}

function settlementIds(newId: () => string) {
  return { settlementId: `stl_${newId()}`, receiptId: newReceiptId() }
}

export function decideInTurn(
  invoice: Invoice.Invoice,
  commands: readonly Command[],
  at: Date,
): { after: Invoice.Invoice; events: readonly Event[] } {
  const events: Event[] = []
  let after = invoice
  for (const command of commands) {
    for (const event of decide(after, command, at)) {
      events.push(event)
      after = evolve(after, [event], at) as Invoice.Invoice
    }
  }
  return { after, events }
}

/** What receipts state besides what the invoice knows. */
type Stated = { readonly feeBasisPoints: number; readonly purchase?: Purchase }

/**
 * Decides commands about one invoice's payments; null: nothing changes. Receipts state the fee and,
 * of a purchase, what was delivered.
 */
export function decidePayments(
  before: Invoice.Invoice,
  commands: readonly Command[],
  { at, ...stated }: Stated & { readonly at: Date },
): Decided | null {
  const { after, events } = decideInTurn(before, commands, at)
  if (events.length === 0) return null
  const issued = events.flatMap((event): IssuedReceipt[] => {
    if (event.type !== 'invoice.settled') return []
    return [
      {
        receipt: Receipt.ofSettlement(after, event.settlement, { ...stated, seed: newSeed() }),
        accountId: after.accountId,
        subjectId: after.id,
        issuedAt: event.settlement.settledAt,
      },
    ]
  })
  const revoked = events.flatMap((event) =>
    event.type === 'settlement.failed' ? [event.settlement.receiptId] : [],
  )
  return { change: changeOf(before, after, events), issued, revoked }
}

export function paymentsOf(decided: readonly Decided[], now: Date): Payments {
  return {
    changes: decided.map(({ change }) => change),
    issued: decided.flatMap(({ issued }) => issued),
    revokedReceiptIds: decided.flatMap(({ revoked }) => revoked),
    now,
  }
}
