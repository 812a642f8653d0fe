/** A facilitator whose answers are lost, and that does nothing. */
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
