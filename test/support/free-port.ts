/**
 * A port of loopback that nobody listens on. It is below those that systems give to outgoing connections, so that none of these takes it before it
 * is used, or while what uses it is being restarted.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {}
  }
}
