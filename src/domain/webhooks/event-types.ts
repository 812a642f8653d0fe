/** Every event a webhook can subscribe to; specification, "Events". */
export const types = [
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.settled',
  'invoice.completed',
  'invoice.failed',
  'settlement.confirmed',
  'settlement.failed',
  'mandate.proposed',
  'mandate.signed_by_proposer',
  'mandate.signed_by_both',
  'mandate.completed',
  'mandate.disputed',
] as const
