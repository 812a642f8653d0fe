let addresses = 0

/** An address that no other request comes from (with TRUST_PROXY): a hundred a minute is what one may ask without a key. */
export function nextAddress(): string {
  addresses++
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}
