import { setTimeout } from 'node:timers/promises'

/** A signal that also carries its deadline, on the clock of `performance.now()`. */
export type Deadline = AbortSignal & {
  readonly endsAtMs?: number
  readonly requestMs?: number
}

export const deadlineMs = 10_000

export function deadlineIn(limitMs: number, within?: Deadline): Deadline {
  const own = AbortSignal.timeout(limitMs)
  const ownEndMs = performance.now() + limitMs
  const endsAtMs = Math.min(ownEndMs, within?.endsAtMs ?? ownEndMs)
  const { requestMs } = within ?? {}
  return Object.assign(within ? AbortSignal.any([within, own]) : own, {
    endsAtMs,
    ...(requestMs !== undefined && { requestMs }),
  })
}

export function deadlineOfOneRequest(limitMs: number): Deadline {
  return Object.assign(deadlineIn(limitMs), { requestMs: limitMs })
}

/** A deadline that leaves the other half of the time. */
export function halfWayTo(deadline: Deadline): Deadline {
  const nowMs = performance.now()
  const leftMs = (deadline.endsAtMs ?? nowMs + deadlineMs) - nowMs
  return deadlineIn(Math.max(0, Math.floor(leftMs / 2)), deadline)
}

/** False if the deadline comes first. */
export async function waitUntil(atMs: number, deadline: Deadline): Promise<boolean> {
  const waitMs = atMs - performance.now()
  if (waitMs <= 0) return true
  try {
    // Timers count whole milliseconds.
    await setTimeout(Math.ceil(waitMs), undefined, { signal: deadline })
    return true
  } catch {
    return false
  }
}
