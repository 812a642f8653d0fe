/**
 * A facilitator that finds every payment valid and settles none. It answers all other requests with
 * 502, as if the real answers were lost.
 */
export function startLostFacilitator(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (request.url.endsWith('/verify')) return Response.json({ isValid: true })
      return new Response('lost', { status: 502 })
    },
  })
}
