/**
 * A receiver of webhooks in a process of its own: `bun bench/rivals/receiver.ts` prints its port. A POST is answered 204, and counts; GET answers
 * how many came since the last GET, and how long, in ms, those had been under way that say in `data.at` when they began.
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
