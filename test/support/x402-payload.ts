/** A nonce or transaction hash that nobody else has. */
export function random32(): string {
  return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
}

/** For upstreams that check no signature. */
export function unsignedPayload(to: string, value: string) {
  const authorization = {
    from: `0x${'aa'.repeat(20)}`,
    to,
    value,
    validAfter: '0',
    validBefore: '4000000000',
    nonce: random32(),
  }
  return { signature: '0x5e', authorization }
}
