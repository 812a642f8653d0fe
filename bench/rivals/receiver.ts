/**
 * A webhook receiver in its own process. `bun bench/rivals/receiver.ts` prints its port. It answers
 * a POST with 204 and counts it. GET answers the count since the last GET, and the latencies in
 * milliseconds of those deliveries whose `data.at` says when they began.
 */
let count = 0
let latenciesMs: number[] = []

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') {
      const seen = Response.json({ count, latenciesMs })
      count = 0
      latenciesMs = []
      return seen
    }
    const body = await request.text()
    const at = /"at":(\d+)/.exec(body)
    if (at) latenciesMs.push(Date.now() - Number(at[1]))
    count++
    return new Response(null, { status: 204 })
  },
})
console.log(server.port)
