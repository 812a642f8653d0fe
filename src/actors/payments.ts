import * as Invoice from '../domain/invoice.ts'
import * as Receipt from '../domain/receipt.ts'
import type { Change } from '../storage/invoices.ts'
import type { IssuedReceipt, Payments } from '../storage/settlements.ts'
import type { StoredTransfer } from '../storage/transfers.ts'
import { entryOf } from './invoices.ts'

/** What names a transfer for ever. */
type Name = Pick<StoredTransfer, 'chain' | 'txHash' | 'position'>

/** As much of a transfer as an invoice is told. */
type Paid = Name & Pick<StoredTransfer, 'usdcBase' | 'blockNumber' | 'from'>

/** What is to be committed together: an invoice's change, the receipts it issues, and those (their ids) it revokes. */
export type Decided = {
  readonly change: Change
  readonly issued: readonly IssuedReceipt[]
  readonly revoked: readonly string[]
}

/** An event, and the invoice right after it. */
type Happened = { readonly event: Invoice.Event; readonly invoice: Invoice.Invoice }

/** A transfer's name as payments and logs write it: `chain:txHash:position`. */
export function keyOf({ chain, txHash, position }: Name): string {
  return `${chain}:${txHash}:${position}`
}

/** Credits a transfer. */
export function credit(transfer: Paid, matchedBy: Invoice.MatchedBy): Invoice.Command {
  const { usdcBase, txHash, blockNumber, from } = transfer
  const payment = { usdcBase, txHash, blockNumber, from, matchedBy }
  return { kind: 'credit', payment: { key: keyOf(transfer), ...payment, confirmed: false } }
}

/** Says that a transfer is no longer in the chain. */
export function revert(transfer: Name): Invoice.Command {
  return { kind: 'revert', key: keyOf(transfer) }
}

/** Says that a payment is confirmed, as the chain has it, seen from block `head`. */
export function confirm(
  key: string,
  { blockNumber, from }: Pick<Paid, 'blockNumber' | 'from'>,
  head: number,
  newId: () => string,
): Invoice.Command {
  return {
    kind: 'confirm',
    key,
    blockNumber,
    from,
    confirmations: head - blockNumber + 1,
    ...settlementIds(newId),
  }
}

/** Says that a settlement may have failed whose other payments, seen from block `head`, are enough for another. */
export function settleAnew(head: number, newId: () => string): Invoice.Command {
  return { kind: 'settle_anew', head, ...settlementIds(newId) }
}

function settlementIds(newId: () => string) {
  return { settlementId: `stl_${newId()}`, receiptId: `drs_${newId()}` }
}

/** Several commands on one invoice, each on what the one before left. */
export function decideInTurn(
  invoice: Invoice.Invoice,
  commands: readonly Invoice.Command[],
  at: Date,
): { after: Invoice.Invoice; happened: readonly Happened[] } {
  const happened: Happened[] = []
  let after = invoice
  for (const command of commands) {
    for (const event of Invoice.decide(after, command, at)) {
      after = Invoice.evolve(after, [event], at) as Invoice.Invoice
      happened.push({ event, invoice: after })
    }
  }
  return { after, happened }
}

/** What commands about payments lead to; null: nothing. `feeBasisPoints` is the service's share, told by receipts. */
export function decidePayments(
  before: Invoice.Invoice,
  commands: readonly Invoice.Command[],
  options: { readonly at: Date; readonly feeBasisPoints: number; readonly newId: () => string },
): Decided | null {
  const { at, feeBasisPoints, newId } = options
  const { after, happened } = decideInTurn(before, commands, at)
  if (happened.length === 0) return null
  const issued = happened.flatMap(({ event }): IssuedReceipt[] => {
    if (event.type !== 'invoice.settled') return []
    return [
      {
        anchorId: newId(),
        receipt: Receipt.ofSettlement(after, event.settlement, feeBasisPoints),
        accountId: after.accountId,
        invoiceId: after.id,
        issuedAt: event.settlement.settledAt,
      },
    ]
  })
  const revoked = happened.flatMap(({ event }) =>
    event.type === 'settlement.failed' ? [event.settlement.receiptId] : [],
  )
  const entries = happened.map(({ event, invoice }) => entryOf(event, invoice))
  return { change: { before, after, entries }, issued, revoked }
}

/** What decisions on several invoices write together. */
export function paymentsOf(decided: readonly Decided[], now: Date): Payments {
  return {
    changes: decided.map(({ change }) => change),
    issued: decided.flatMap(({ issued }) => issued),
    revokedReceiptIds: decided.flatMap(({ revoked }) => revoked),
    now,
  }
}
