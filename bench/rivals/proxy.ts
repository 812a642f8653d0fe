/**
 * The servers `bench/x402.ts` compares with. `bun bench/rivals/proxy.ts upstream|bare` prints its
 * port. The upstream answers every request with the same small JSON, for `/paid` as a 402 of x402.
 * The bare proxy fetches the given URL and returns the answer, without any checks or records.
 */
export {}

const kind = process.argv[2]
const answer = JSON.stringify({ forecast: 'sunny', degrees: 21, hours: [1, 2, 3, 4, 5, 6, 7, 8] })

const option = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '10000',
  payTo: `0x${'5e'.repeat(20)}`,
}
const required = btoa(JSON.stringify({ x402Version: 2, accepts: [option] }))
const demand = { 'payment-required': required, 'content-type': 'application/json' }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 30,
  async fetch(request) {
    if (kind === 'upstream' && request.url.endsWith('/paid'))
      return new Response('{}', { status: 402, headers: demand })
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
