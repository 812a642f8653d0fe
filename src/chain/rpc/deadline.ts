import { setTimeout } from 'node:timers/promises'

/** A signal that is aborted when the time for a question is over, and tells when that is. */
export type Deadline = AbortSignal & {
  /** On the clock of `performance.now()`; absent where it is not known. */
  readonly endsAtMs?: number
  /** How long one request may take, where not as long as usual. */
  readonly requestMs?: number
}

/** How long a question to a chain may take. */
export const deadlineMs = 10_000

/** The deadline so many milliseconds from now, or `within` if that comes first. */
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

/** A deadline for one request, which may take all of the time. */
export function deadlineOfOneRequest(limitMs: number): Deadline {
  return Object.assign(deadlineIn(limitMs), { requestMs: limitMs })
}

/** An earlier deadline, after which there is as much time again. */
export function halfWayTo(deadline: Deadline): Deadline {
  const nowMs = performance.now()
  const leftMs = (deadline.endsAtMs ?? nowMs + deadlineMs) - nowMs
  return deadlineIn(Math.max(0, Math.floor(leftMs / 2)), deadline)
}

/** Waits until a moment on the clock of `performance.now()`; false if the deadline comes first. */
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
