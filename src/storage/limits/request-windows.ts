import type { LeaseWindows, WindowAsk } from '../../domain/accounts/request-windows.ts'
import { localSource } from './local-windows.ts'

const restMs = 2_000

type Store = { readonly name: string; readonly lease: LeaseWindows }

/**
 * Counts requests in the first of `stores` that answers, else in `local`. A store that fails rests
 * for 2 s. Asks carry the last counts, from which the next store continues; local counts are never
 * carried into a store.
 */
export function requestWindows(options: {
  readonly stores: readonly Store[]
  readonly local: LeaseWindows
  readonly steadyMs: () => number
  readonly onFault: (store: string, error: unknown) => void
}): LeaseWindows {
  const { stores, local, steadyMs, onFault } = options
  const restsUntilMs = new Map<Store, number>()

  return async function lease(asks) {
    let shared = asks.map(withoutLocal)
    for (const store of stores) {
      if (steadyMs() < (restsUntilMs.get(store) ?? Number.NEGATIVE_INFINITY)) continue
      try {
        return await store.lease(shared)
      } catch (error) {
        restsUntilMs.set(store, steadyMs() + restMs)
        onFault(store.name, error)
        // It may have taken back the unused requests; twice would admit too many.
        shared = shared.map((ask) => ({ ...ask, unused: 0 }))
      }
    }
    return local(asks)
  }
}

function withoutLocal(ask: WindowAsk): WindowAsk {
  return ask.known?.source === localSource ? { ...ask, known: null, unused: 0 } : ask
}
