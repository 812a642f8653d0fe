import type { LeaseWindows, WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'

export const localSource = 'local'

/**
 * Request counters in memory while no store answers. A process admits the limit divided by the
 * number of processes, and at least one request.
 */
export function localWindows(options: {
  readonly processes: () => number
  readonly nowMs: () => number
}): LeaseWindows {
  const minutes = createWindow()
  const days = createWindow()

  function grant({ bucket, perMinute, perDay, want }: WindowAsk): WindowGrant {
    const nowMs = options.nowMs()
    const minute = minutes.at(Math.floor(nowMs / 60_000))
    const day = days.at(Math.floor(nowMs / 86_400_000))
    const minuteRoom = shareOf(perMinute) - minute.usedBy(bucket)
    const dayRoom =
      perDay === null ? Number.POSITIVE_INFINITY : shareOf(perDay) - day.usedBy(bucket)
    const granted = Math.max(0, Math.min(want, minuteRoom, dayRoom))
    minute.use(bucket, granted)
    if (perDay !== null) day.use(bucket, granted)
    // The other processes' share counts as used.
    return {
      source: localSource,
      minute: minute.number,
      minuteUsed: perMinute - minuteRoom + granted,
      day: day.number,
      dayUsed: perDay === null ? 0 : perDay - dayRoom + granted,
      granted,
      nowMs,
    }
  }

  function shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / options.processes()))
  }

  return async (asks) => asks.map(grant)
}

function createWindow() {
  const used = new Map<string, number>()
  let number = 0
  const usedBy = (bucket: string) => used.get(bucket) ?? 0
  return {
    at(now: number) {
      if (now !== number) used.clear()
      number = now
      return {
        number,
        usedBy,
        use: (bucket: string, more: number) => void used.set(bucket, usedBy(bucket) + more),
      }
    },
  }
}
