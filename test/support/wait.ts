/** Rejects after `limitMs`. */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not so after ${limitMs} ms`)
    await Bun.sleep(5)
  }
}

/**
 * `make` answers null if it was too slow for the end, and gets twice the time. Rejects beyond 20 s.
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

export async function passed(moment: Date): Promise<void> {
  await Bun.sleep(moment.getTime() - Date.now() + 1)
}

/** For counts by the minute: no window may end in the middle of the test. */
export async function earlyInAMinute(leftMs = 10_000): Promise<void> {
  const minuteLeftMs = 60_000 - (Date.now() % 60_000)
  if (minuteLeftMs < leftMs) await Bun.sleep(minuteLeftMs + 20)
}
