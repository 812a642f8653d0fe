import type { Network } from '../network.ts'
import { eip3009Key } from '../x402/forwarded-payment.ts'
import { isTransfer, type Purchase } from './purchase.ts'

export type Transfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** Null if no EIP-3009 authorization caused it. */
  readonly nonce: string | null
}

/** `transfers` are those of USDC to the address asked for. */
export type Transaction = {
  readonly blockNumber: number
  readonly transfers: readonly Transfer[]
}

/** A purchase of the same account that holds a transfer of a transaction, or may claim one. */
export type Rival = Pick<Purchase, 'state' | 'position'> & { readonly key: string | null }

export type Evidence = {
  readonly blockNumber: number
  /** The transfer that pays this purchase and no other. */
  readonly paid: Transfer | null
  /** Another purchase holds a fitting transfer, and may yet leave it. */
  readonly isHeldOpen: boolean
}

/** `rivals` are the other purchases of the account that may have its transfers. */
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

function keyOf({ from, nonce }: Transfer, chain: Network): string | null {
  return nonce === null ? null : eip3009Key(chain, { payer: from, nonce })
}

function isOpen({ state }: Rival): boolean {
  return state === 'forwarding' || state === 'unknown' || state === 'paid'
}

/**
 * First the transfers of the very price and of the same kind: other purchases would not lack them.
 */
function mostLikelyFirst(transfers: readonly Transfer[], purchase: Purchase) {
  const { requirements, payment } = purchase
  const fitness = ({ usdcBase, nonce }: Transfer) =>
    (usdcBase === requirements.usdcBase ? 2 : 0) + (nonce === (payment?.nonce ?? null) ? 1 : 0)
  return transfers
    .filter((transfer) => pays(transfer, purchase))
    .toSorted((a, b) => fitness(b) - fitness(a))
}

/** Whether a transfer to the seller would pay it, if no other purchase has it. */
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

/** Whether a transaction that does not pay a purchase never will. */
export function neverPays({ blockNumber, isHeldOpen }: Evidence, confirmedTo: number): boolean {
  return blockNumber <= confirmedTo && !isHeldOpen
}

/** null: any. On Solana the signer may move another wallet's tokens. */
export function senderOf({ payment }: Purchase): string | null {
  return payment?.message === null ? payment.payer : null
}

/** Other than EIP-3009 on an EVM chain: the chain never shows that it was not taken. */
export function isTimeless(purchase: Purchase): boolean {
  const { requirements, payment } = purchase
  return requirements.network !== 'solana' && payment?.nonce === null && !isTransfer(purchase)
}

function isByPermit(purchase: Purchase): boolean {
  // By Permit2, where the payer can be read.
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
