/** Whether a key is good now. Times may also be ISO 8601 text, as the API answers them. */
export function keyState(
  key: { readonly revokedAt: Date | string | null; readonly expiresAt: Date | string | null },
  now: Date,
): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && new Date(key.expiresAt) <= now ? 'expired' : 'active'
}
