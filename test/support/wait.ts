/** Resolves once `isTrue`, looking every few milliseconds; rejects when it has not become so within `limitMs`. */
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
