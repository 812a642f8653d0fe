import { addressIn } from '../address.ts'
import { DomainError, invalidField } from '../error.ts'
import {
  alwaysTakenShare,
  type Balance,
  balanceOf,
  isWorthTaking,
  leftOf,
  receivedWith,
} from '../invoices/balance.ts'
import { acceptsTransfer, type Invoice } from '../invoices/invoice.ts'
import { addressKey, isTxHash, type Network } from '../network.ts'

/** `signature` is over the text of `payerStatement`. */
export type Proof = { readonly txHash: string; readonly signature: string; readonly payer: string }

export type Claimable = {
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly credit: { readonly invoiceId: string } | null
}

/** `unseen`: not recorded yet; `owed`: `transfers` are to be credited; `credited`: already done. */
export type Verdict<T extends Claimable> =
  | { readonly kind: 'unseen' }
  | { readonly kind: 'owed'; readonly transfers: readonly T[] }
  | { readonly kind: 'credited' }

/** In the chain's own spelling. Errors: `invalid_request` naming the field. */
export function proofOn(chain: Network, { txHash, signature, payer }: Proof): Proof {
  if (!isTxHash(chain, txHash)) throw invalidField('txHash', `must be a transaction on ${chain}`)
  return { txHash: addressKey(txHash), signature, payer: addressIn('payer', chain, payer) }
}

/**
 * `transfers` are all transfers of the transaction to addresses of ours. Errors: `invalid_state`:
 * the invoice takes no payment; `transfer_mismatch`: none goes to its address; `not_the_sender`:
 * none of those is from `payer`; `already_credited`; `limit_reached`: all are too small.
 */
export function judge<T extends Claimable>(
  invoice: Invoice,
  transfers: readonly T[],
  payer: string,
): Verdict<T> {
  if (transfers.length === 0) {
    if (!acceptsTransfer(invoice)) throw closed(invoice)
    return { kind: 'unseen' }
  }
  const here = transfers.filter(({ to }) => to === addressKey(invoice.terms.payTo))
  if (here.length === 0)
    throw new DomainError('transfer_mismatch', 'The transaction does not pay the invoice’s address')
  const own = here.filter(({ from }) => from === payer)
  if (own.length === 0)
    throw new DomainError('not_the_sender', 'The payer did not send what the transaction transfers')
  const held = own.filter(({ credit }) => credit === null)
  const owed = acceptsTransfer(invoice) ? takenBy(balanceOf(invoice), held) : []
  if (owed.length > 0) return { kind: 'owed', transfers: owed }
  if (own.some(({ credit }) => credit?.invoiceId === invoice.id)) return { kind: 'credited' }
  if (held.length > 0) throw acceptsTransfer(invoice) ? tooSmall(invoice) : closed(invoice)
  throw new DomainError('already_credited', 'The transfer has been credited to another invoice')
}

function closed({ state }: Invoice): DomainError {
  return new DomainError('invalid_state', `An invoice that is ${state} takes no payment`)
}

function tooSmall({ progress }: Invoice): DomainError {
  return new DomainError(
    'limit_reached',
    `The invoice has ${progress.payments.length} payments, and no place for another as small as this: one of at least 1/${alwaysTakenShare} of what is due, or of all that is left, is always taken`,
  )
}

/** One transfer of exactly what is left, else the first worth taking, until it is covered. */
export function takenBy<T extends { readonly usdcBase: bigint }>(
  balance: Balance,
  transfers: readonly T[],
): readonly T[] {
  if (balance.receivedUsdcBase >= balance.dueUsdcBase) return []
  const exact = transfers.findIndex(({ usdcBase }) => usdcBase === leftOf(balance))
  const at =
    exact >= 0 ? exact : transfers.findIndex(({ usdcBase }) => isWorthTaking(balance, usdcBase))
  const taken = transfers[at]
  if (!taken) return []
  const after = { ...balance, ...receivedWith(balance, [taken]) }
  return [taken, ...takenBy(after, transfers.toSpliced(at, 1))]
}
