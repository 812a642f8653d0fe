import { DomainError } from '../../domain/error.ts'

/** The refusal of a payment that has already bought something else. */
export function paymentReused(): DomainError {
  return new DomainError('payment_reused', 'This payment has bought something else')
}

/** The refusal of a second copy of a payment while the first is being settled. */
export function beingSettled(): DomainError {
  return new DomainError(
    'idempotency_in_progress',
    'This payment is being settled; try again with the same payment',
    { retryAfterSeconds: 1 },
  )
}
