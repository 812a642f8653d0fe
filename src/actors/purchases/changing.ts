import type { Command as InvoiceCommand } from '../../domain/invoices/decide.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Payment } from '../../domain/invoices/progress.ts'
import { type Command, decide } from '../../domain/purchases/decide.ts'
import type { Transfer } from '../../domain/purchases/evidence.ts'
import { isAccepted, type Purchase } from '../../domain/purchases/purchase.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Changes, commit, load } from '../../storage/purchases/purchases.ts'
import type { Invoices } from '../invoices.ts'
import { afterSettling, type Jobs } from '../jobs.ts'
import type { Live } from '../live.ts'
import { confirm, type Decided, decidePayments, paymentsOf } from '../payments.ts'
import { untilWon } from '../races.ts'
import { busy } from './asking.ts'

export type ChangeParts = {
  readonly sql: Sql
  readonly invoices: Pick<Invoices, 'forget'>
  readonly jobs: Jobs
  readonly live: Pick<Live, 'touched'>
  readonly feeBasisPoints: number
  readonly newId: () => string
}

/** A command for a purchase, and the transfer that settles it, seen from block `head`. */
export type Wanted = {
  readonly purchase: Purchase
  readonly command: Command
  readonly settling?: { readonly transfer: Transfer; readonly head: number }
  /** For its invoice, before what follows from the purchase. */
  readonly first?: readonly InvoiceCommand[]
}

export type Changing = ReturnType<typeof createChanging>

/** Changes purchases together with their invoices, budgets and mandates, each in one statement. */
export function createChanging(parts: ChangeParts) {
  const { sql } = parts
  const onSettled = afterSettling(parts)

  /** The purchases afterwards; null, with nothing stored: one has changed, or has lost its race. */
  async function changeAll(
    wanted: readonly Wanted[],
    beside: Pick<Changes, 'claim' | 'shown'> = {},
  ): Promise<readonly Purchase[] | null> {
    const changes = wanted.flatMap((one) => {
      const after = decide(one.purchase, one.command)
      return after ? [{ ...one, before: one.purchase, after }] : []
    })
    if (changes.length < wanted.length || changes.length === 0) return null
    const at = changes[0]?.before.readAt ?? new Date()
    const ids = changes.map(({ before }) => before.invoiceId)
    const invoices = new Map((await loadMany(sql, ids)).map((one) => [one.id, one]))
    const decided = changes.flatMap(({ after, first = [], settling }): readonly Decided[] => {
      const invoice = invoices.get(after.invoiceId)
      if (!invoice) return []
      const commands = [...first, ...commandsFor(invoice, after, settling, parts.newId)]
      const { feeBasisPoints } = parts
      const one = decidePayments(invoice, commands, { at, feeBasisPoints, purchase: after })
      return one ? [one] : []
    })
    const payments = paymentsOf(decided, at)
    if (!(await commit(sql, { purchases: changes, payments, ...beside }))) return null
    if (decided.length > 0) onSettled(ids)
    for (const { after } of changes) parts.live.touched(after.accountId, 'budgets')
    return changes.map(({ after }) => after)
  }

  async function change(purchase: Purchase, command: Command): Promise<Purchase | null> {
    const [after = null] = (await changeAll([{ purchase, command }])) ?? []
    return after
  }

  /** Repeats a command until it wins; null where it changes nothing any more. */
  async function insist(
    { invoiceId }: Purchase,
    commandOf: (now: Purchase) => Command | null,
  ): Promise<Purchase | null> {
    return untilWon(async () => {
      const now = await load(sql, invoiceId)
      const command = now && commandOf(now)
      if (!now || !command || !decide(now, command)) return null
      return (await change(now, command)) ?? undefined
    }, busy)
  }

  return { changeAll, change, insist }
}

/** What an invoice must do to show what its purchase has been paid by. */
function commandsFor(
  { progress: { payments } }: Invoice,
  purchase: Purchase,
  settling: Wanted['settling'],
  newId: () => string,
): readonly InvoiceCommand[] {
  const { state, txHash } = purchase
  const payment = isAccepted(purchase) && txHash !== null ? paymentOf(purchase, txHash) : null
  // A confirmed payment of a purchase that is not settled has left the chain.
  const stays = ({ key, confirmed }: Payment) =>
    key === payment?.key && (!confirmed || state === 'settled')
  const gone = payments.filter((one) => !stays(one))
  return [
    ...gone.map(({ key }) => ({ kind: 'revert', key }) as const),
    ...(payment && !payments.some(stays) ? [{ kind: 'credit', payment } as const] : []),
    ...(payment && settling ? [confirm(payment.key, settling.transfer, settling.head, newId)] : []),
  ]
}

/** Before the chain has confirmed it: `confirm` says the block, and who has paid. */
function paymentOf({ option, payment }: Purchase, txHash: string): Payment {
  return {
    key: `x402:${option.network}:${txHash}`,
    usdcBase: option.usdcBase,
    txHash,
    blockNumber: 0,
    from: payment?.kind === 'message' ? '' : (payment?.payer ?? ''),
    matchedBy: 'claim',
    confirmed: false,
  }
}
