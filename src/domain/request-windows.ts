/** How many requests were counted in one bucket's running minute and day (numbered from the Unix epoch). */
export type WindowCount = {
  /** Which store counted; counts of two stores are not of one history. */
  readonly source: string
  readonly minute: number
  readonly minuteUsed: number
  readonly day: number
  readonly dayUsed: number
}

/**
 * What one process wants of the shared counters of one bucket: exactly `want` requests now, and up to `spare` more
 * to admit from memory for as long as the minute lasts.
 */
export type WindowAsk = {
  readonly bucket: string
  readonly perMinute: number
  /** null: the bucket has no daily limit. */
  readonly perDay: number | null
  readonly want: number
  readonly spare: number
  /** Requests granted with `known` that will not be made after all. Given back once, never again. */
  readonly unused: number
  /** The last counts this process saw: a store that has lost its own starts from these. */
  readonly known: WindowCount | null
}

/** What the store gave: `granted` of `want + spare`, already counted in the windows. `nowMs` is its Unix time. */
export type WindowGrant = WindowCount & { readonly granted: number; readonly nowMs: number }

/** Asks for several buckets (each named once) in one round trip; answers in the same order. */
export type LeaseWindows = (asks: readonly WindowAsk[]) => Promise<readonly WindowGrant[]>
