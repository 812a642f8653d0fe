import { DomainError, noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Network } from '../../domain/network.ts'
import * as Claim from '../../domain/settlement/claim.ts'
import { refundsAmong } from '../../storage/credit-notes/refunds.ts'
import { load } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { commitAssignment, type StoredClaim } from '../../storage/settlement/claims.ts'
import { newestBlock } from '../../storage/settlement/cursors.ts'
import { type StoredTransfer, transfersOf } from '../../storage/settlement/transfers.ts'
import { isElsewhere, placeKey, usesOf } from '../../storage/settlement/uses.ts'
import type { Invoices } from '../invoices.ts'
import { afterSettling, type Jobs } from '../jobs.ts'
import { confirm, credit, decidePayments, keyOf, paymentsOf } from '../payments.ts'
import { untilWon } from '../races.ts'

/** `pending`: the transaction is not recorded yet; the stored claim is applied once it is. */
export type Claimed = { readonly status: 'credited' | 'pending'; readonly invoice: Invoice }

export type CreditParts = {
  readonly sql: Sql
  readonly invoices: Pick<Invoices, 'forget'>
  readonly jobs: Jobs
  readonly feeBasisPoints: number
  readonly now: () => Date
  readonly newId: () => string
  readonly secondNodes: {
    get(network: Network): { readonly isNeeded: boolean } | undefined
  }
}

export function createCredits(parts: CreditParts) {
  const { sql, now, newId, feeBasisPoints } = parts
  const onSettled = afterSettling(parts)

  /** Credits what a claim covers. Each lost race judges the claim again. */
  function apply(made: StoredClaim): Promise<Claimed> {
    return untilWon(
      () => attempt(made),
      (lost) =>
        new DomainError('overloaded', 'The invoice is changing too fast; try again', {
          operatorText: `a claim on ${made.txHash} lost ${lost} races`,
          retryAfterSeconds: 1,
        }),
    )
  }

  /** Undefined: another process was faster. */
  async function attempt(made: StoredClaim): Promise<Claimed | undefined> {
    const invoice = await findInvoice(sql, made.invoiceId)
    const found = await transfersOf(sql, made.chain, made.txHash)
    const [uses, refunds] = await Promise.all([
      usesOf(sql, made.chain, found),
      refundsAmong(sql, made.chain, found),
    ])
    // An invoice's use of one without a credit was committed after it was read: then this commit is
    // refused.
    const isTaken = (one: StoredTransfer) =>
      one.credit === null && (isElsewhere(uses.get(placeKey(one))) || refunds.has(placeKey(one)))
    const named = found.filter(
      ({ position, usdcBase }) =>
        made.madeBy === 'claim' || (made.position === position && made.usdcBase === usdcBase),
    )
    const meant = named.filter((one) => !isTaken(one))
    const isOwn = ({ from }: StoredTransfer) => from === made.payer
    if (named.some(isOwn) && !meant.some(isOwn))
      throw new DomainError(
        'already_credited',
        'The transfer has another use: a sale, a purchase or a refund',
      )
    const verdict = Claim.judge(invoice, meant, made.payer)
    if (verdict.kind === 'unseen') return { status: 'pending', invoice }
    // Read again: the credit may have been committed after the invoice was read.
    if (verdict.kind === 'credited')
      return { status: 'credited', invoice: await findInvoice(sql, made.invoiceId) }
    const after = await commit(made, invoice, verdict.transfers)
    return after ? { status: 'credited', invoice: after } : undefined
  }

  async function commit(
    made: StoredClaim,
    before: Invoice,
    transfers: readonly StoredTransfer[],
  ): Promise<Invoice | null> {
    const lastBlock = await newestBlock(sql, made.chain)
    // What was held may be one node's word. The watcher asks the others, and confirms.
    const awaitsNode = parts.secondNodes.get(made.chain)?.isNeeded ?? false
    const commands = transfers.flatMap((transfer) => {
      const credited = credit(transfer, made.madeBy)
      if (transfer.state !== 'confirmed' || awaitsNode) return [credited]
      return [credited, confirm(keyOf(transfer), transfer, lastBlock, newId)]
    })
    const at = now()
    const decided = decidePayments(before, commands, { at, feeBasisPoints })
    if (!decided) return null
    const payments = paymentsOf([decided], at)
    if (
      !(await commitAssignment(sql, {
        claim: made,
        accountId: before.accountId,
        transfers,
        awaitsNode,
        ...payments,
      }))
    )
      return null
    onSettled([before.id])
    return decided.change.after
  }

  return { apply }
}

/** The invoice of any account. Errors: `not_found`. */
export async function findInvoice(sql: Sql, invoiceId: string): Promise<Invoice> {
  const invoice = isUuid(invoiceId) ? await load(sql, invoiceId) : undefined
  if (!invoice) throw noSuch('invoice')
  return invoice
}
