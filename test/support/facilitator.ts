import { afterAll } from 'bun:test'

export type SettleRequest = { readonly payload: Readonly<Record<string, unknown>> }

/** The test may change it. */
export type StubFacilitator = {
  readonly url: string
  settle(payment: SettleRequest): Promise<Response>
  /** Null: it does not answer `/supported`. */
  kinds: readonly object[] | null
}

/** An answer as if the real one was lost. */
export const lost = () => new Response('lost', { status: 502 })

/** Finds every payment valid and settles none, until the test changes that. */
export function useFacilitator(): StubFacilitator {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/verify') return Response.json({ isValid: true })
      if (pathname === '/supported' && stub.kinds)
        return Response.json({ kinds: stub.kinds, extensions: [], signers: {} })
      if (pathname !== '/settle') return lost()
      const { paymentPayload } = (await request.json()) as { paymentPayload: SettleRequest }
      return stub.settle(paymentPayload)
    },
  })
  const stub: StubFacilitator = {
    url: server.url.href,
    settle: async () => lost(),
    kinds: null,
  }
  afterAll(() => server.stop(true))
  return stub
}
