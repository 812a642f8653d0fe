import { type Delivery, replaces } from './delivery.ts'
import {
  isAbandoned,
  isUnderWay,
  isWaiting,
  mayAbandon,
  type Payment,
  type Purchase,
  type Reservation,
  type State,
} from './purchase.ts'

type NewPayment = Omit<Payment, 'firstForwardedAt' | 'forwardedAt'>

export type Command =
  /** A payment is about to be forwarded. `txHash`: it is a transfer made before. */
  | {
      readonly kind: 'forward'
      readonly payment: NewPayment
      readonly txHash: string | null
      readonly agentId: string | null
    }
  | { readonly kind: 'reserve'; readonly reservation: Reservation }
  | { readonly kind: 'accept'; readonly txHash: string | null }
  /** The upstream names the transaction of a payment that was accepted or is being forwarded. */
  | { readonly kind: 'name'; readonly txHash: string }
  /** The payment was certainly not taken. */
  | { readonly kind: 'refuse' }
  /** Only the chain can tell whether it was taken. `isAnswered`: an answer is handed over. */
  | { readonly kind: 'suspend'; readonly txHash: string | null; readonly isAnswered: boolean }
  /**
   * The answer to the payment of this key has been handed over, or no more of it will be. `attempt`
   * is the `delivering` of its attempt; null: the payment had been accepted before.
   */
  | {
      readonly kind: 'deliver'
      readonly key: string
      readonly attempt: number | null
      readonly delivery: Delivery
    }
  /** Another process decides the outcome of an attempt that died or ended in doubt. */
  | { readonly kind: 'take_over' }
  /** The chain shows a transfer that pays this purchase. */
  | { readonly kind: 'see'; readonly txHash: string; readonly position: number }
  /** The named transaction did not take the payment; another may. */
  | { readonly kind: 'forget' }
  /** The payment can no longer be taken. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'settle'; readonly txHash: string; readonly blockNumber: number }
  /** A reorganisation took the payment off the chain. */
  | { readonly kind: 'reopen' }
  /** Its account gives it up, or nobody has paid it in time. */
  | { readonly kind: 'abandon' }
  /** It is given up for a payment of another invoice. */
  | { readonly kind: 'supersede'; readonly by: string }
  /** Its invoice is void, or kept because it was paid. */
  | { readonly kind: 'void' }

/** A command that was admitted. Purchases have no trail. */
export type Event = Command

/** The states in which a command may have an effect. */
const admitting: Readonly<Record<Command['kind'], readonly State[]>> = {
  forward: ['quoted', 'refused', 'expired', 'unknown', 'forwarding'],
  reserve: ['forwarding'],
  accept: ['forwarding', 'paid'],
  name: ['forwarding', 'paid'],
  refuse: ['forwarding'],
  suspend: ['forwarding'],
  // Not while an attempt is deciding the outcome.
  deliver: ['unknown', 'paid'],
  take_over: ['forwarding', 'unknown'],
  see: ['forwarding', 'unknown', 'paid'],
  forget: ['unknown', 'paid'],
  expire: ['forwarding', 'paid'],
  settle: ['paid'],
  reopen: ['settled'],
  abandon: ['quoted', 'forwarding', 'refused', 'unknown', 'paid', 'expired'],
  supersede: ['quoted', 'refused', 'expired'],
  void: ['quoted', 'forwarding', 'refused', 'unknown', 'paid', 'settled', 'expired'],
}

/** No events where a command changes nothing or comes too late. */
export function decide(purchase: Purchase, command: Command, now: Date): readonly Event[] {
  if (!admitting[command.kind].includes(purchase.state)) return []
  return hasEffect(purchase, command, now) ? [command] : []
}

function hasEffect(purchase: Purchase, command: Command, now: Date): boolean {
  const { state, txHash, position, abandonedAt } = purchase
  switch (command.kind) {
    case 'forward':
      return !isAbandoned(purchase) && mayForward(purchase, command.payment, now)
    case 'accept':
      return state === 'forwarding' || command.txHash !== txHash
    case 'name':
      return state === 'forwarding' ? command.txHash !== txHash : txHash === null
    case 'take_over':
      return !isUnderWay(purchase, now)
    case 'deliver':
      return isNews(purchase, command)
    case 'see':
      return command.txHash !== txHash || command.position !== position
    case 'forget':
      return txHash !== null
    case 'abandon':
      return abandonedAt === null && mayAbandon(purchase, now)
    case 'supersede':
      return abandonedAt === null
    case 'void':
      return purchase.isVoidPending
    default:
      return true
  }
}

function isNews(
  { payment, delivering, delivery }: Purchase,
  deliver: Extract<Command, { kind: 'deliver' }>,
): boolean {
  const isAwaited = delivering !== null && delivering === deliver.attempt
  return payment?.key === deliver.key && (isAwaited || replaces(deliver.delivery, delivery))
}

/** A known payment may be sent again once its attempt has ended; another one only later. */
function mayForward(purchase: Purchase, { key }: NewPayment, now: Date): boolean {
  return key === purchase.payment?.key ? !isUnderWay(purchase, now) : isWaiting(purchase)
}
