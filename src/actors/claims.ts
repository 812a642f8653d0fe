import { DomainError, noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import type { Network } from '../domain/network.ts'
import * as Claim from '../domain/settlement/claim.ts'
import { payerStatement } from '../domain/settlement/payer-statement.ts'
import type { Listed, Query, Shown } from '../domain/settlement/transfer-list.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { ListReader } from '../storage/postgres/pools.ts'
import * as Rows from '../storage/settlement/claims.ts'
import { loadCursor } from '../storage/settlement/cursors.ts'
import { usedForX402 } from '../storage/settlement/transaction-uses.ts'
import { findShown, listTransfers } from '../storage/settlement/transfer-lists.ts'
import { findTransfer, type StoredTransfer, transfersOf } from '../storage/settlement/transfers.ts'
import type { Invoices } from './invoices.ts'
import { afterSettling, type Jobs } from './jobs.ts'
import { confirm, credit, decidePayments, keyOf, paymentsOf } from './payments.ts'

export type Claims = ReturnType<typeof createClaims>

/**
 * The result of a claim. `pending`: the transaction is not recorded yet; the claim is stored and
 * applied once it is.
 */
export type Claimed = { readonly status: 'credited' | 'pending'; readonly invoice: Invoice }

export type TransferName = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
}

type Parts = {
  readonly sql: Sql
  readonly invoices: Pick<Invoices, 'forget'>
  readonly jobs: Jobs
  /** Whether `payer` signed the statement, by the rules of the chain. */
  readonly isSignedByPayer: (statement: {
    network: Network
    statement: string
    signature: string
    payer: string
  }) => Promise<boolean>
  readonly feeBasisPoints: number
  readonly now: () => Date
  readonly newId: () => string
}

const mostClaims: Rows.MostClaims = { waiting: 20, all: 1_000 }
const maxLostRaces = 20

/** Claims by payers and assignments by operators, for transfers no other rule matched. */
export function createClaims(parts: Parts) {
  const { sql, now, newId, feeBasisPoints } = parts
  const onSettled = afterSettling(parts)

  /**
   * Credits the transfers of a transaction to an invoice, on the signed claim of their sender
   * (contract §5, rule 2). Repeating it changes nothing. Errors: `not_found`, `invalid_request`,
   * `invalid_state`, `already_credited`, `transfer_mismatch`, `not_the_sender`,
   * `invalid_signature`, `limit_reached` (too many claims on unrecorded transactions, or too small
   * a payment).
   */
  async function claim(invoiceId: string, sent: Claim.Proof): Promise<Claimed> {
    const invoice = await find(invoiceId)
    const { chain } = invoice.terms
    const proof = Claim.proofOn(chain, sent)
    const { txHash, signature, payer } = proof
    Claim.judge(invoice, await transfersOf(sql, chain, txHash), payer)
    const statement = payerStatement({ subject: { invoiceId }, chain, txHash })
    if (!(await parts.isSignedByPayer({ network: chain, statement, signature, payer })))
      throw new DomainError('invalid_signature', 'The payer has not signed this claim')
    const made = { chain, txHash, payer, invoiceId, madeBy: 'claim', signature } as const
    const first = await settle(made)
    if (first.status === 'credited') return first
    if (!(await Rows.keepClaim(sql, made, mostClaims)))
      throw new DomainError(
        'limit_reached',
        'This invoice has too many claims on unrecorded transactions; this one is taken once its transaction is recorded',
      )
    return settle(made)
  }

  /**
   * Credits a held transfer to an invoice of any account, on the authority of an operator's key.
   * Errors as of `claim`.
   */
  async function assign(name: TransferName, invoiceId: string, keyId: string): Promise<Claimed> {
    const transfer = await findTransfer(sql, name)
    if (!transfer) throw noSuch('transfer')
    const { terms } = await find(invoiceId)
    const { chain, txHash, from: payer, position, usdcBase } = transfer
    if (terms.chain !== chain)
      throw new DomainError('transfer_mismatch', 'The invoice is to be paid on another chain')
    const said = { chain, txHash, payer, invoiceId, madeBy: 'operator' } as const
    const outcome = await settle({ ...said, keyId, position, usdcBase })
    if (outcome.status === 'credited') return outcome
    throw new DomainError('invalid_state', 'The transfer is no longer in the chain')
  }

  /** Credits what a claim covers. The claim is judged again after each lost race. */
  async function settle(made: Rows.StoredClaim): Promise<Claimed> {
    for (let lost = 0; lost < maxLostRaces; lost++) {
      const invoice = await find(made.invoiceId)
      const sent = { txHash: made.txHash, from: made.payer }
      if ((await usedForX402(sql, made.chain, [sent])).size > 0)
        throw new DomainError('already_credited', 'The transaction has bought something else')
      const found = await transfersOf(sql, made.chain, made.txHash)
      const meant = found.filter(
        ({ position, usdcBase }) =>
          made.madeBy === 'claim' || (made.position === position && made.usdcBase === usdcBase),
      )
      const verdict = Claim.judge(invoice, meant, made.payer)
      if (verdict.kind === 'unseen') return { status: 'pending', invoice }
      // Read again: the credit may have been committed after the invoice was read.
      if (verdict.kind === 'credited')
        return { status: 'credited', invoice: await find(made.invoiceId) }
      const after = await commit(made, invoice, verdict.transfers)
      if (after) return { status: 'credited', invoice: after }
    }
    throw new DomainError('overloaded', 'The invoice is changing too fast; try again', {
      operatorText: `a claim on ${made.txHash} lost ${maxLostRaces} races`,
      retryAfterSeconds: 1,
    })
  }

  async function commit(
    made: Rows.StoredClaim,
    before: Invoice,
    transfers: readonly StoredTransfer[],
  ): Promise<Invoice | null> {
    // The newest block that the watcher has read.
    const lastBlock = (await loadCursor(sql, made.chain))?.checkpoints.at(-1)?.number ?? 0
    const commands = transfers.flatMap((transfer) => {
      const credited = credit(transfer, made.madeBy)
      if (transfer.state !== 'confirmed') return [credited]
      return [credited, confirm(keyOf(transfer), transfer, lastBlock, newId)]
    })
    const at = now()
    const decided = decidePayments(before, commands, { at, feeBasisPoints, newId })
    if (!decided) return null
    const payments = paymentsOf([decided], at)
    if (!(await Rows.commitAssignment(sql, { claim: made, transfers, ...payments }))) return null
    onSettled([before.id])
    return decided.change.after
  }

  async function find(invoiceId: string): Promise<Invoice> {
    const invoice = isUuid(invoiceId) ? (await loadMany(sql, [invoiceId]))[0] : undefined
    if (!invoice) throw noSuch('invoice')
    return invoice
  }

  /** Applies stored claims that the watcher did not; returns how many. */
  async function recoverDue(): Promise<number> {
    let applied = 0
    // In turn: of two claims on a transfer the older one counts, and there may be many.
    for (const made of await Rows.overlookedClaims(sql)) {
      const isApplied = await settle(made).then(
        () => true,
        () => false,
      )
      if (isApplied) applied++
    }
    return applied
  }

  return { claim, assign, recoverDue }
}

export type Transfers = ReturnType<typeof createTransfers>

/** The transfers of all accounts, for operators. */
export function createTransfers(parts: { readonly sql: Sql; readonly list: ListReader }) {
  /** Operators share what any one account may have under way. */
  function list(query: Query): Promise<Listed> {
    return parts.list('operators', (listSql) => listTransfers(listSql, query))
  }

  /** One transfer. Errors: `not_found`. */
  async function get(name: TransferName): Promise<Shown> {
    const transfer = await findShown(parts.sql, name)
    if (!transfer) throw noSuch('transfer')
    return transfer
  }

  return { list, get }
}
