import type { Event } from './decide.ts'
import { replaces } from './delivery.ts'
import type { Purchase } from './purchase.ts'

/** The purchase after `events`, which `decide` returned for it. */
export function evolve(purchase: Purchase, events: readonly Event[], now: Date): Purchase {
  let after = purchase
  for (const event of events)
    after = { ...after, ...change(after, event, now), version: after.version + 1 }
  return after
}

function change(purchase: Purchase, event: Event, now: Date): Partial<Purchase> {
  const { mandateId } = purchase
  switch (event.kind) {
    case 'forward':
      return forwarded(purchase, event, now)
    case 'reserve':
      return { reservation: event.reservation }
    case 'accept':
      return { state: 'paid', ...inTransaction(purchase, event.txHash, now) }
    case 'name':
      return inTransaction(purchase, event.txHash, now)
    case 'refuse':
      return { state: 'refused', delivering: null, ...inTransaction(purchase, null, now) }
    case 'suspend':
      return {
        state: 'unknown',
        delivering: event.isAnswered ? purchase.delivering : null,
        ...inTransaction(purchase, event.txHash, now),
      }
    case 'deliver':
      return delivered(purchase, event)
    case 'take_over':
      return {
        state: 'forwarding',
        // An attempt that was dead so early has no answer.
        delivering: purchase.state === 'forwarding' ? null : purchase.delivering,
        payment: sentAt(purchase, now),
      }
    case 'see':
      return { txHash: event.txHash, position: event.position }
    case 'forget':
      return inTransaction(purchase, null, now)
    case 'expire':
      return {
        state: 'expired',
        ...inTransaction(purchase, null, now),
        ...(mandateId !== null && givenUp(now)),
      }
    case 'settle':
      return { state: 'settled', txHash: event.txHash, settledIn: event.blockNumber }
    case 'reopen':
      return { state: 'paid', position: null, settledIn: null }
    case 'abandon':
      return abandoned(purchase, now)
    case 'supersede':
      return { ...abandoned(purchase, now), payment: null, supersededBy: event.by }
    case 'void':
      return { isVoidPending: false }
  }
}

function delivered(
  { delivery: before, delivering }: Purchase,
  { delivery, attempt }: Extract<Event, { kind: 'deliver' }>,
): Partial<Purchase> {
  return {
    delivering: delivering === attempt ? null : delivering,
    delivery: replaces(delivery, before) ? delivery : before,
  }
}

function forwarded(
  purchase: Purchase,
  { payment, txHash, agentId }: Extract<Event, { kind: 'forward' }>,
  now: Date,
): Partial<Purchase> {
  const { state, payment: before } = purchase
  const agent = agentId ?? purchase.agentId
  const shared = { state: 'forwarding', agentId: agent, delivering: purchase.version + 1 } as const
  if (before?.key !== payment.key) {
    const first = { ...payment, firstForwardedAt: now, forwardedAt: now }
    const fresh = { txHash, position: null, reservation: null, delivery: null }
    return { ...shared, payment: first, ...fresh }
  }
  // Refused or expired, it was certainly not taken before.
  const mayBeTaken = state === 'unknown' || state === 'forwarding'
  const firstForwardedAt = mayBeTaken ? before.firstForwardedAt : now
  const identified = (mayBeTaken && before.identified) || payment.identified
  return {
    ...shared,
    payment: { ...payment, identified, firstForwardedAt, forwardedAt: now },
    txHash: txHash ?? purchase.txHash,
  }
}

/** A transaction that was not known before has a day to appear. */
function inTransaction(purchase: Purchase, txHash: string | null, now: Date): Partial<Purchase> {
  if (txHash === purchase.txHash) return {}
  const isFirst = purchase.txHash === null
  return { txHash, position: null, ...(isFirst && { payment: sentAt(purchase, now) }) }
}

function sentAt({ payment }: Purchase, now: Date) {
  return payment && { ...payment, forwardedAt: now }
}

/**
 * Under a mandate the amount becomes free and the payment no longer counts. Otherwise an open
 * payment is still looked for; any other is free for another invoice.
 */
function abandoned(purchase: Purchase, now: Date): Partial<Purchase> {
  const { state, mandateId } = purchase
  if (mandateId !== null) return { state: 'expired', ...givenUp(now) }
  const isOpen = state === 'forwarding' || state === 'unknown' || state === 'paid'
  return { ...givenUp(now), ...(!isOpen && { payment: null }) }
}

function givenUp(now: Date): Partial<Purchase> {
  return { abandonedAt: now, isVoidPending: true }
}
