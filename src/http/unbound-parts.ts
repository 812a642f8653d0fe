import type { Parts } from './server.ts'

/**
 * Parts for a server of which only the routes are wanted, as for the API document. They can be
 * handed on like real ones; whoever calls one is told which.
 */
export const unboundParts = unbound('parts') as Parts

function unbound(path: string): unknown {
  return new Proxy(
    () => {
      throw new Error(`${path} is not bound: this server has routes and nothing behind them`)
    },
    // Without `then`: it is no promise.
    {
      get: (_, name) =>
        typeof name === 'symbol' || name === 'then' ? undefined : unbound(`${path}.${name}`),
    },
  )
}
