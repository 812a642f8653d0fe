const startedAt = 'quittance-session-started'
const hourMs = 3_600_000
/** Clocks, and the time that a request takes. */
const leewayMs = 30_000

/** What the service says about the session. */
export type Session = {
  readonly account: { readonly id: string; readonly name: string }
  readonly environment: 'production' | 'development'
}

/** Notes when somebody logged in, or, with null, that they logged out. */
export function noteLogin(at: Date | null): void {
  if (at) sessionStorage.setItem(startedAt, `${at.getTime()}`)
  else sessionStorage.removeItem(startedAt)
}

/** Why the session is over. Null if this tab has had none. */
export function whyOver(now: Date): string | null {
  const started = sessionStorage.getItem(startedAt)
  return started === null ? null : overText(now.getTime() - Number(started))
}

export function overText(lastedMs: number): string {
  return lastedMs > hourMs - leewayMs
    ? 'Your session is over: it lasts an hour. Log in again to go on where you were.'
    : 'Your session was ended early: its key has been revoked or has expired, or somebody logged out in another tab.'
}
