let addresses = 0

/**
 * A client address that no other request uses (trusted with TRUST_PROXY). Without a key one address
 * may send only a hundred requests a minute.
 */
export function nextAddress(): string {
  addresses++
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}
