import type { CreditNote } from './credit-note.ts'

/** A note, and whether the payments that it refunds are in force. */
export type Shown = { readonly note: CreditNote; readonly isPaid: boolean }

export type ListQuery = {
  readonly invoiceId: string | null
  /** The id of the last note on the page before. */
  readonly after: string | null
  readonly limit: number
}
