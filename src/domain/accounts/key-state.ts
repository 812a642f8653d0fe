/** The API answers times as ISO 8601 text. */
export function keyState(
  key: { readonly revokedAt: Date | string | null; readonly expiresAt: Date | string | null },
  now: Date,
): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && new Date(key.expiresAt) <= now ? 'expired' : 'active'
}
