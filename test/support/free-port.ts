/**
 * A free port of loopback. It lies below the range that systems use for outgoing connections, so no
 * connection takes it before its user listens on it or while that user restarts.
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
