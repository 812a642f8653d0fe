/** Requests counted in one bucket's current minute and day, both numbered from the Unix epoch. */
export type WindowCount = {
  /** The store that counted. Counts of different stores must not be compared. */
  readonly source: string
  readonly minute: number
  readonly minuteUsed: number
  readonly day: number
  readonly dayUsed: number
}

/**
 * What one process asks of the shared counters of one bucket: exactly `want` requests now, and up
 * to `spare` more to admit from memory for the rest of the minute.
 */
export type WindowAsk = {
  readonly bucket: string
  readonly perMinute: number
  /** null: the bucket has no daily limit. */
  readonly perDay: number | null
  readonly want: number
  readonly spare: number
  /** Requests granted with `known` that will not be made after all; given back once only. */
  readonly unused: number
  /** The last counts this process saw. A store that has lost its own counts starts from these. */
  readonly known: WindowCount | null
}

/**
 * What the store granted: `granted` of `want + spare`, already counted in the windows. `nowMs` is
 * the store's Unix time.
 */
export type WindowGrant = WindowCount & { readonly granted: number; readonly nowMs: number }

/** Asks for several different buckets in one round trip; answers are in the same order. */
export type LeaseWindows = (asks: readonly WindowAsk[]) => Promise<readonly WindowGrant[]>
