/** Specification, "States and transitions". */
export const states = [
  'proposed',
  'signed_by_proposer',
  'signed_by_both',
  'in_progress',
  'completed',
  'disputed',
  'expired',
] as const
export type State = (typeof states)[number]
