/** Requests in one bucket's current minute and day, both numbered from the Unix epoch. */
export type WindowCount = {
  /** The store that counted. Counts of different stores are not comparable. */
  readonly source: string
  readonly minute: number
  readonly minuteUsed: number
  readonly day: number
  readonly dayUsed: number
}

/** Asks for `want` requests now and up to `spare` more for the rest of the minute. */
export type WindowAsk = {
  readonly bucket: string
  readonly perMinute: number
  /** null: no daily limit. */
  readonly perDay: number | null
  readonly want: number
  readonly spare: number
  /** Requests granted with `known` that will not be made; given back once. */
  readonly unused: number
  /** The last counts seen here. A store that lost its counts starts from these. */
  readonly known: WindowCount | null
}

/** Of `want + spare`, `granted` are counted. `nowMs` is the store's Unix time. */
export type WindowGrant = WindowCount & { readonly granted: number; readonly nowMs: number }

/** Asks for several buckets at once; answers in the same order. */
export type LeaseWindows = (asks: readonly WindowAsk[]) => Promise<readonly WindowGrant[]>
