import type { InvoiceChain } from '../network.ts'
import { eip3009Key } from '../x402/forwarded-payment.ts'
import { isTransfer, type Purchase } from './purchase.ts'

/** What a chain shows of the payments of purchases. */

/** A transfer of USDC in a transaction whose hash is known. */
export type Transfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** The nonce of the EIP-3009 authorization that caused the transfer; null if none did. */
  readonly nonce: string | null
}

/**
 * A transaction in a block. `transfers` are those of USDC to the address that was asked for; a
 * failed transaction has none.
 */
export type Transaction = {
  readonly blockNumber: number
  readonly transfers: readonly Transfer[]
}

/** A purchase of the same account that holds a transfer of a transaction, or may claim one. */
export type Rival = Pick<Purchase, 'state' | 'position'> & { readonly key: string | null }

/** A transaction as evidence for one purchase. */
export type Evidence = {
  readonly blockNumber: number
  /** The transfer that pays this purchase and no other. */
  readonly paid: Transfer | null
  /** Another purchase holds a transfer that would pay this one, and may yet leave it. */
  readonly isHeldOpen: boolean
}

/** Judges a transaction, given the other purchases of the account that may have its transfers. */
export function judge(
  purchase: Purchase,
  { blockNumber, transfers }: Transaction,
  rivals: readonly Rival[],
): Evidence {
  const fitting = mostLikelyFirst(transfers, purchase)
  const { network: chain } = purchase.requirements
  const isAnothers = (transfer: Transfer) => {
    const { position } = transfer
    const key = keyOf(transfer, chain)
    return rivals.some(
      (rival) =>
        rival.position === position || (key !== null && rival.key === key && isOpen(rival)),
    )
  }
  const paid = fitting.find((transfer) => !isAnothers(transfer)) ?? null
  const isHeldOpen =
    paid === null &&
    fitting.some(({ position }) =>
      rivals.some((rival) => rival.position === position && isOpen(rival)),
    )
  return { blockNumber, paid, isHeldOpen }
}

/** The keys of the authorizations that have made transfers of a transaction. */
export function keysIn({ transfers }: Transaction, { requirements }: Purchase): readonly string[] {
  return transfers.flatMap((transfer) => keyOf(transfer, requirements.network) ?? [])
}

function keyOf({ from, nonce }: Transfer, chain: InvoiceChain): string | null {
  return nonce === null ? null : eip3009Key(chain, { payer: from, nonce })
}

function isOpen({ state }: Rival): boolean {
  return state === 'forwarding' || state === 'unknown' || state === 'paid'
}

/**
 * The transfers that would pay the purchase, with those first that no other purchase in their
 * transaction would lack: those of the very price and, where the payment is none by EIP-3009, by
 * none.
 */
function mostLikelyFirst(transfers: readonly Transfer[], purchase: Purchase) {
  const { requirements, payment } = purchase
  const fitness = ({ usdcBase, nonce }: Transfer) =>
    (usdcBase === requirements.usdcBase ? 2 : 0) + (nonce === (payment?.nonce ?? null) ? 1 : 0)
  return transfers
    .filter((transfer) => pays(transfer, purchase))
    .toSorted((a, b) => fitness(b) - fitness(a))
}

/** Whether a transfer to the seller would pay the purchase, if no other one has it. */
export function pays(transfer: Transfer, purchase: Purchase): boolean {
  const { requirements, payment } = purchase
  const nonce = payment?.nonce ?? null
  const sender = senderOf(purchase)
  const isOpaque = nonce === null && !isByPermit(purchase)
  return (
    transfer.usdcBase >= requirements.usdcBase &&
    (sender === null || transfer.from === sender) &&
    (isOpaque || transfer.nonce === nonce)
  )
}

/**
 * Whether a transaction that does not pay a purchase never will: no reorganisation replaces it, and
 * no other purchase may yet leave a transfer in it.
 */
export function neverPays({ blockNumber, isHeldOpen }: Evidence, confirmedTo: number): boolean {
  return blockNumber <= confirmedTo && !isHeldOpen
}

/** The wallet whose tokens pay; null: any. On Solana the signer may move what is another's. */
export function senderOf({ payment }: Purchase): string | null {
  return payment?.message === null ? payment.payer : null
}

/**
 * Whether the payment was signed for an EVM chain other than by EIP-3009: the chain never tells
 * that it was not taken, so it counts until the chain shows it.
 */
export function isTimeless(purchase: Purchase): boolean {
  const { requirements, payment } = purchase
  return requirements.network !== 'solana' && payment?.nonce === null && !isTransfer(purchase)
}

/** Whether the payment was signed by Permit2, so that no authorization makes its transfer. */
function isByPermit(purchase: Purchase): boolean {
  // Of what else is timeless the payer cannot be read.
  return isTimeless(purchase) && purchase.payment?.payer !== null
}

/** The authorization by which the purchase is paid, where the chain can be asked about that. */
export function authorizationOf({ payment }: Purchase) {
  if (!payment?.payer || payment.nonce === null || payment.validBefore === null) return null
  const { payer, nonce, validBefore } = payment
  return { payer, nonce, validBefore }
}

/** The message on Solana by which the purchase is paid; null for any other payment. */
export function messageOf({ payment, txHash }: Purchase) {
  if (!payment?.payer || payment.message === null) return null
  const { payer, message: nonce, firstForwardedAt, forwardedAt } = payment
  return { payer, nonce, txHash, firstForwardedAt, forwardedAt }
}
