import { DomainError, invalidField } from './error.ts'
import { acceptsTransfer, type Invoice, leftUsdcBase } from './invoice.ts'
import { addressKey, isAddress, isTxHash, type Network } from './network.ts'

/** What a payer sends to say which transaction was theirs; `signature` is over the text of `payerStatement`. */
export type Proof = { readonly txHash: string; readonly signature: string; readonly payer: string }

/** A transfer on record, as far as claiming it goes. */
export type Claimable = {
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly credit: { readonly invoiceId: string } | null
}

/** `unseen`: not on record yet. `owed`: held, and these of them are to be credited. `credited`: they have been, to this invoice. */
export type Verdict<T extends Claimable> =
  | { readonly kind: 'unseen' }
  | { readonly kind: 'owed'; readonly transfers: readonly T[] }
  | { readonly kind: 'credited' }

/** A proof in the chain's own spelling. Errors: `invalid_request` naming what is no hash or address on `chain`. */
export function proofOn(chain: Network, { txHash, signature, payer }: Proof): Proof {
  if (!isTxHash(chain, txHash)) throw invalidField('txHash', `must be a transaction on ${chain}`)
  if (!isAddress(chain, payer)) throw invalidField('payer', `must be an address on ${chain}`)
  return { txHash: addressKey(txHash), signature, payer: addressKey(payer) }
}

/**
 * What claiming the transfers of `payer` for `invoice` comes to; `transfers` are all of the transaction to addresses of ours. They are
 * credited one after the other until the invoice is covered. Errors: `invalid_state` (it takes no payment), `transfer_mismatch` (none is to
 * the invoice's address), `not_the_sender` (none of these is from `payer`), `already_credited` (to other invoices).
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
  if (held.length > 0 && acceptsTransfer(invoice))
    return { kind: 'owed', transfers: untilCovered(invoice, held) }
  if (own.some(({ credit }) => credit?.invoiceId === invoice.id)) return { kind: 'credited' }
  if (held.length > 0) throw closed(invoice)
  throw new DomainError('already_credited', 'The transfer has been credited to another invoice')
}

function closed({ state }: Invoice): DomainError {
  return new DomainError('invalid_state', `An invoice that is ${state} takes no payment`)
}

function untilCovered<T extends Claimable>(invoice: Invoice, held: readonly T[]): readonly T[] {
  let missing = leftUsdcBase(invoice)
  return held.filter(({ usdcBase }) => {
    const isNeeded = missing > 0n
    missing -= usdcBase
    return isNeeded
  })
}
