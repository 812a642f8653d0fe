/** To be loaded before a process's own code: its clock is then CLOCK_AHEAD_MS ahead. */

const Right = Date
const aheadMs = Number(process.env.CLOCK_AHEAD_MS)

globalThis.Date = new Proxy(Right, {
  construct: (_, given) =>
    given.length === 0
      ? new Right(Right.now() + aheadMs)
      : Reflect.construct(Right, given as unknown[]),
  get: (_, name) => (name === 'now' ? () => Right.now() + aheadMs : Reflect.get(Right, name)),
})
