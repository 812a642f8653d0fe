/** What was handed over to the buyer of the upstream's answer to a payment. */
export type Delivery = {
  /** Of the bytes handed over; 0x and lower-case hex. */
  readonly bodySha256: string
  /** How many they are. */
  readonly contentLength: number
  readonly status: number
  readonly contentType: string | null
  /** `partial`: it broke off, the buyer went away, or the answer was withheld. */
  readonly delivered: 'whole' | 'partial'
}

/** Whole is worth more than partial, and a delivery more than an error: the best one is kept. */
export function worthOf({ status, delivered }: Delivery): number {
  return (status < 400 ? 2 : 0) + (delivered === 'whole' ? 1 : 0)
}

/** An answer that is kept for repeats of the purchase. */
export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
