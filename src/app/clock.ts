export const now = () => new Date()
/** Monotonic milliseconds; only differences are meaningful. */
export const steadyMs = () => performance.now()
export const newId = () => Bun.randomUUIDv7()
