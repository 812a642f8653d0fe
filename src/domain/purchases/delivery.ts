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

/** Whole replaces partial, and a delivery replaces an error; otherwise the first stays. */
export function replaces(next: Delivery, before: Delivery | null): boolean {
  return before === null || worthOf(next) > worthOf(before)
}

function worthOf({ status, delivered }: Delivery): number {
  return (status < 400 ? 2 : 0) + (delivered === 'whole' ? 1 : 0)
}
