/** Monotonic milliseconds; only differences are meaningful. */
export const steadyMs = () => performance.now()
