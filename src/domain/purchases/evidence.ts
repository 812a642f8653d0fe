import type { Purchase } from './purchase.ts'

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

/** The transfers that would pay it, the most likely first: of the very price, without a nonce. */
export function fitting({ transfers }: Transaction, purchase: Purchase): readonly Transfer[] {
  const { option } = purchase
  const fitness = ({ usdcBase, nonce }: Transfer) =>
    (usdcBase === option.usdcBase ? 2 : 0) + (nonce === null ? 1 : 0)
  return transfers
    .filter((transfer) => pays(transfer, purchase))
    .toSorted((a, b) => fitness(b) - fitness(a))
}

/** Whether the payment made the transfer. On Solana the signer may move others' tokens. */
function pays(transfer: Transfer, { option, payment }: Purchase): boolean {
  if (!payment || transfer.usdcBase < option.usdcBase) return false
  const { kind, payer, nonce } = payment
  if (kind === 'eip3009' && transfer.nonce !== nonce) return false
  return kind === 'message' || payer === null || transfer.from === payer
}
