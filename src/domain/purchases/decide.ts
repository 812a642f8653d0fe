import type { PaymentRequirements } from '../x402/requirements.ts'
import {
  type Hold,
  isDeliveryUnderWay,
  isUnderWay,
  type Payment,
  type Purchase,
  type State,
} from './purchase.ts'

export type Command =
  /** A newer quote answers asks from now on. */
  | { readonly kind: 'replace' }
  /** A payment is about to be forwarded, and counts from now on. */
  | ({ readonly kind: 'claim' } & Claim)
  /** The same payment is about to be forwarded again. */
  | { readonly kind: 'resend' }
  /** The upstream or the chain has the payment; `txHash` null: not named yet. */
  | { readonly kind: 'accept'; readonly txHash: string | null }
  /** The attempt is over, and only the chain can tell. `isAnswered`: an answer is handed over. */
  | { readonly kind: 'leave'; readonly txHash: string | null; readonly isAnswered: boolean }
  /** A transfer that is final on chain has paid it. */
  | ({ readonly kind: 'settle' } & Settled)
  /** A reorganisation took the payment off the chain. */
  | { readonly kind: 'revert' }
  /** The payment can no longer come. */
  | { readonly kind: 'free' }
  /** Its account gives it up, or nobody has paid it in time. */
  | { readonly kind: 'end' }

export type Claim = {
  readonly payment: Omit<Payment, 'firstForwardedAt' | 'forwardedAt'>
  /** Of a transfer made before. */
  readonly txHash: string | null
  readonly option: PaymentRequirements
  readonly agentId: string | null
  readonly mandateId: string | null
  readonly hold: Hold | null
}

type Settled = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
}

/** The states in which a command may have an effect. */
const admitting: Readonly<Record<Command['kind'], readonly State[]>> = {
  replace: ['quoted'],
  claim: ['quoted', 'replaced'],
  resend: ['held'],
  accept: ['held', 'paid'],
  leave: ['held'],
  settle: ['held', 'paid'],
  revert: ['settled'],
  free: ['held', 'paid'],
  end: ['quoted', 'replaced'],
}

/** The purchase after a command; null where it changes nothing or comes too late. */
export function decide(purchase: Purchase, command: Command): Purchase | null {
  if (!admitting[command.kind].includes(purchase.state)) return null
  const { txHash } = purchase
  if (command.kind === 'resend' && isUnderWay(purchase)) return null
  if (command.kind === 'accept' && purchase.state === 'paid' && command.txHash === txHash)
    return null
  return { ...purchase, ...changeBy(purchase, command), version: purchase.version + 1 }
}

const unpaid = {
  payment: null,
  txHash: null,
  hold: null,
  isForwarding: false,
  attempt: null,
  delivery: null,
} as const

function changeBy(purchase: Purchase, command: Command): Partial<Purchase> {
  const { payment, readAt, version } = purchase
  const forwarding = { isForwarding: true, attempt: version + 1 }
  switch (command.kind) {
    case 'replace':
      return { state: 'replaced' }
    case 'claim': {
      const { kind: _, payment: claimed, ...terms } = command
      const sent = { ...claimed, firstForwardedAt: readAt, forwardedAt: readAt }
      return { state: 'held', ...terms, payment: sent, ...forwarding }
    }
    case 'resend':
      return { payment: payment && { ...payment, forwardedAt: readAt }, ...forwarding }
    case 'accept':
      return {
        state: 'paid',
        txHash: command.txHash,
        isForwarding: false,
        attempt: isDeliveryUnderWay(purchase) ? purchase.attempt : null,
      }
    case 'leave':
      return {
        isForwarding: false,
        txHash: purchase.txHash ?? command.txHash,
        attempt: command.isAnswered ? purchase.attempt : null,
      }
    case 'settle': {
      const { txHash, position, blockNumber: settledIn } = command
      return { state: 'settled', txHash, position, settledIn, isForwarding: false }
    }
    case 'revert':
      return { state: 'paid', position: null, settledIn: null }
    case 'free':
      return { state: 'replaced', ...unpaid }
    case 'end':
      return { state: 'over' }
  }
}
