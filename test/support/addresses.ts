let addresses = 0

/** A client address of its own: without a key an address may send only 100 requests a minute. */
export function nextAddress(): string {
  addresses++
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}
