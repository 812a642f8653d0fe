/** The clocks and the source of ids, handed to everything that must not reach for them itself. */

export const now = () => new Date()
/** Milliseconds that never go back; only differences mean anything. */
export const steadyMs = () => performance.now()
export const newId = () => Bun.randomUUIDv7()
