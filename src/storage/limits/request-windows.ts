import type { LeaseWindows, WindowAsk } from '../../domain/accounts/request-windows.ts'
import { localSource } from './local-windows.ts'

const restMs = 2_000

type Store = { readonly name: string; readonly lease: LeaseWindows }

/**
 * Counts requests in the first of `stores` that answers, and in `local` while none does. A store
 * that fails is not asked for 2 s; `onFault` gets the reason. Asks carry the counts that this
 * process saw last, so the next store continues from there; what was counted locally is never
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
        // It may have taken back the unused requests before it failed: given back twice, they
        // would admit too many.
        shared = shared.map((ask) => ({ ...ask, unused: 0 }))
      }
    }
    return local(asks)
  }
}

function withoutLocal(ask: WindowAsk): WindowAsk {
  return ask.known?.source === localSource ? { ...ask, known: null, unused: 0 } : ask
}
