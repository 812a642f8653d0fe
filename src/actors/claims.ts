import { DomainError, noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import type { Network } from '../domain/network.ts'
import * as Claim from '../domain/settlement/claim.ts'
import { payerStatement } from '../domain/settlement/payer-statement.ts'
import type { Sent } from '../domain/x402/settlement.ts'
import type {
  Assignment,
  MostClaims,
  PayerClaim,
  StoredClaim,
} from '../storage/settlement/claims.ts'
import type { StoredTransfer } from '../storage/settlement/transfers.ts'
import { confirm, credit, decidePayments, keyOf, paymentsOf } from './payments.ts'

/**
 * The result of a claim. `pending`: the transaction is not recorded yet; the claim is stored and
 * applied once it is.
 */
export type Claimed = { readonly status: 'credited' | 'pending'; readonly invoice: Invoice }

export type Claims = {
  /**
   * Credits the transfers of a transaction to an invoice, on the signed claim of their sender
   * (contract §5, rule 2). Repeating it changes nothing. Errors: `not_found`, `invalid_request`,
   * `invalid_state`, `already_credited`, `transfer_mismatch`, `not_the_sender`,
   * `invalid_signature`, `limit_reached` (too many claims on unrecorded transactions, or too small
   * a payment).
   */
  claim(invoiceId: string, proof: Claim.Proof): Promise<Claimed>
  /**
   * Credits a held transfer to an invoice of any account, on the authority of an operator's key.
   * Errors as of `claim`.
   */
  assign(transfer: TransferName, invoiceId: string, keyId: string): Promise<Claimed>
  /** Applies stored claims that the watcher overlooked; returns how many. */
  applyOverlooked(): Promise<number>
}

export type TransferName = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
}

type Options = {
  readonly store: {
    invoice(id: string): Promise<Invoice | undefined>
    transfer(name: TransferName): Promise<StoredTransfer | undefined>
    transfersOf(chain: Network, txHash: string): Promise<readonly StoredTransfer[]>
    /** Whether these transfers have bought something by x402 and are therefore spent. */
    isUsedForX402(chain: Network, sent: Sent): Promise<boolean>
    /** The newest block that the watcher has read. */
    lastBlock(chain: Network): Promise<number>
    keep(claim: PayerClaim, most: MostClaims): Promise<boolean>
    commit(assignment: Assignment): Promise<boolean>
    overlooked(): Promise<readonly PayerClaim[]>
  }
  isSignedByPayer(statement: {
    network: Network
    statement: string
    signature: string
    payer: string
  }): Promise<boolean>
  readonly feeBasisPoints: number
  readonly now: () => Date
  readonly newId: () => string
  /** Called after a commit that changed invoices. */
  readonly onSettled: (invoiceIds: readonly string[]) => void
}

const mostClaims: MostClaims = { waiting: 20, all: 1_000 }
const maxLostRaces = 20

/** Claims by payers and assignments by operators, for transfers no other rule matched. */
export function createClaims(options: Options): Claims {
  const { store, now, newId } = options

  async function claim(invoiceId: string, sent: Claim.Proof): Promise<Claimed> {
    const invoice = await find(invoiceId)
    const { chain } = invoice.terms
    const proof = Claim.proofOn(chain, sent)
    const { txHash, signature, payer } = proof
    Claim.judge(invoice, await store.transfersOf(chain, txHash), payer)
    const statement = payerStatement({ subject: { invoiceId }, chain, txHash })
    if (!(await options.isSignedByPayer({ network: chain, statement, signature, payer })))
      throw new DomainError('invalid_signature', 'The payer has not signed this claim')
    const made = { chain, txHash, payer, invoiceId, madeBy: 'claim', signature } as const
    const first = await settle(made)
    if (first.status === 'credited') return first
    if (!(await store.keep(made, mostClaims)))
      throw new DomainError(
        'limit_reached',
        'The invoice has as many claims on transactions that are not on record as it keeps: this one is taken once its transaction is',
      )
    return settle(made)
  }

  async function assign(name: TransferName, invoiceId: string, keyId: string): Promise<Claimed> {
    const transfer = await store.transfer(name)
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
  async function settle(made: StoredClaim): Promise<Claimed> {
    for (let lost = 0; lost < maxLostRaces; lost++) {
      const invoice = await find(made.invoiceId)
      if (await store.isUsedForX402(made.chain, { txHash: made.txHash, from: made.payer }))
        throw new DomainError('already_credited', 'The transaction has bought something else')
      const found = await store.transfersOf(made.chain, made.txHash)
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
    made: StoredClaim,
    before: Invoice,
    transfers: readonly StoredTransfer[],
  ): Promise<Invoice | null> {
    const lastBlock = await store.lastBlock(made.chain)
    const commands = transfers.flatMap((transfer) => {
      const credited = credit(transfer, made.madeBy)
      if (transfer.state !== 'confirmed') return [credited]
      return [credited, confirm(keyOf(transfer), transfer, lastBlock, newId)]
    })
    const at = now()
    const { feeBasisPoints } = options
    const decided = decidePayments(before, commands, { at, feeBasisPoints, newId })
    if (!decided) return null
    const payments = paymentsOf([decided], at)
    if (!(await store.commit({ claim: made, transfers, ...payments }))) return null
    options.onSettled([before.id])
    return decided.change.after
  }

  async function find(invoiceId: string): Promise<Invoice> {
    const invoice = isUuid(invoiceId) ? await store.invoice(invoiceId) : undefined
    if (!invoice) throw noSuch('invoice')
    return invoice
  }

  async function applyOverlooked(): Promise<number> {
    let applied = 0
    // In turn: of two claims on a transfer the older one counts, and there may be many.
    for (const made of await store.overlooked()) {
      const isApplied = await settle(made).then(
        () => true,
        () => false,
      )
      if (isApplied) applied++
    }
    return applied
  }

  return { claim, assign, applyOverlooked }
}
