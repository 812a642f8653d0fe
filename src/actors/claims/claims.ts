import { DomainError, noSuch } from '../../domain/error.ts'
import * as Claim from '../../domain/settlement/claim.ts'
import { payerStatement } from '../../domain/settlement/payer-statement.ts'
import * as Rows from '../../storage/settlement/claims.ts'
import { findTransfer, transfersOf } from '../../storage/settlement/transfers.ts'
import { type Claimed, type CreditParts, createCredits, findInvoice } from './credits.ts'
import { requireSigned, type Signatures } from './signed.ts'
import type { TransferName } from './transfers.ts'

export type Claims = ReturnType<typeof createClaims>

type Parts = CreditParts & Signatures

const mostClaims: Rows.MostClaims = { waiting: 20, all: 1_000 }

/** Claims by payers and assignments by operators, for transfers no other rule matched. */
export function createClaims(parts: Parts) {
  const { sql } = parts
  const credits = createCredits(parts)

  /**
   * Credits the transfers of a transaction to an invoice, on the signed claim of their sender
   * (contract §5, rule 2). Repeating it changes nothing. Errors: `not_found`, `invalid_request`,
   * `invalid_state`, `already_credited`, `transfer_mismatch`, `not_the_sender`,
   * `invalid_signature`, `limit_reached` (too many claims on unrecorded transactions, or too small
   * a payment), `unavailable` (a contract wallet could not be asked).
   */
  async function claim(invoiceId: string, sent: Claim.Proof): Promise<Claimed> {
    const invoice = await findInvoice(sql, invoiceId)
    const { chain } = invoice.terms
    const proof = Claim.proofOn(chain, sent)
    const { txHash, signature, payer } = proof
    const transfers = await transfersOf(sql, chain, txHash)
    Claim.judge(invoice, transfers, payer)
    const statement = payerStatement({ subject: { invoiceId }, chain, txHash })
    const signed = { network: chain, statement, signature, payer }
    const block = transfers[0]?.blockNumber ?? null
    await requireSigned(parts, signed, { block, refusal: 'The payer has not signed this claim' })
    const made = { chain, txHash, payer, invoiceId, madeBy: 'claim', signature } as const
    const first = await credits.apply(made)
    if (first.status === 'credited') return first
    if (!(await Rows.keepClaim(sql, made, mostClaims)))
      throw new DomainError(
        'limit_reached',
        'This invoice has too many claims on unrecorded transactions; this one is taken once its transaction is recorded',
      )
    return credits.apply(made)
  }

  /**
   * Credits a held transfer to an invoice of any account, on the authority of an operator's key.
   * Errors as of `claim`.
   */
  async function assign(name: TransferName, invoiceId: string, keyId: string): Promise<Claimed> {
    const transfer = await findTransfer(sql, name)
    if (!transfer) throw noSuch('transfer')
    const { terms } = await findInvoice(sql, invoiceId)
    const { chain, txHash, from: payer, position, usdcBase } = transfer
    if (terms.chain !== chain)
      throw new DomainError('transfer_mismatch', 'The invoice is to be paid on another chain')
    const said = { chain, txHash, payer, invoiceId, madeBy: 'operator' } as const
    const outcome = await credits.apply({ ...said, keyId, position, usdcBase })
    if (outcome.status === 'credited') return outcome
    throw new DomainError('invalid_state', 'The transfer is no longer in the chain')
  }

  /** Applies stored claims that the watcher did not; returns how many. */
  async function recoverDue(): Promise<number> {
    let applied = 0
    // In turn: of two claims on a transfer the older one counts, and there may be many.
    for (const made of await Rows.overlookedClaims(sql)) {
      const isApplied = await credits.apply(made).then(
        () => true,
        () => false,
      )
      if (isApplied) applied++
    }
    return applied
  }

  return { claim, assign, recoverDue }
}
