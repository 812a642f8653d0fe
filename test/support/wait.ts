/**
 * Resolves once `isTrue`, polling every few milliseconds; rejects if that takes longer than
 * `limitMs`.
 */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not so after ${limitMs} ms`)
    await Bun.sleep(5)
  }
}

/**
 * What `make` creates with an end in the near future. If `make` was too slow for that end it
 * answers null, and is tried again with twice the time. Rejects beyond 20 s.
 */
export async function madeInTime<Made>(
  make: (endsAt: Date) => Promise<Made | null>,
  lifeMs = 300,
): Promise<{ readonly made: Made; readonly endsAt: Date }> {
  const endsAt = new Date(Date.now() + lifeMs)
  const made = await make(endsAt)
  if (made !== null) return { made, endsAt }
  if (lifeMs > 20_000) throw new Error(`it cannot be made within ${lifeMs} ms`)
  return madeInTime(make, 2 * lifeMs)
}

/** Resolves once `moment` is past. */
export async function passed(moment: Date): Promise<void> {
  await Bun.sleep(moment.getTime() - Date.now() + 1)
}

/**
 * Resolves once at least `leftMs` of the minute are left, for tests of what is counted by the
 * minute: no window may end in the middle of them.
 */
export async function earlyInAMinute(leftMs = 10_000): Promise<void> {
  const minuteLeftMs = 60_000 - (Date.now() % 60_000)
  if (minuteLeftMs < leftMs) await Bun.sleep(minuteLeftMs + 20)
}
