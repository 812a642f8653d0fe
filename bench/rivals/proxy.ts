/**
 * The servers `bench/x402.ts` compares with. `bun bench/rivals/proxy.ts upstream|bare` prints its
 * port. The upstream answers every request with the same small JSON. The bare proxy fetches the
 * given URL and returns the answer, without any checks or records.
 */
export {}

const kind = process.argv[2]
const answer = JSON.stringify({ forecast: 'sunny', degrees: 21, hours: [1, 2, 3, 4, 5, 6, 7, 8] })

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 30,
  async fetch(request) {
    if (kind === 'upstream')
      return new Response(answer, { headers: { 'content-type': 'application/json' } })
    const target = new URL(request.url).searchParams.get('url') ?? ''
    const { status, body, headers } = await fetch(target, { redirect: 'manual' })
    return new Response(body, {
      status,
      headers: {
        'content-type': headers.get('content-type') ?? '',
        'content-length': headers.get('content-length') ?? '',
      },
    })
  },
})
console.log(server.port)
