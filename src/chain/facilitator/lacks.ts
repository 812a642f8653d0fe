import { toDecimal } from '../../domain/money/money.ts'
import type { Network } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { tokenFacts } from '../token.ts'
import { facilitatorFunds } from './funds.ts'

/** Why a payment cannot be settled now, and whether a plain transfer cannot be made either. */
export type Lack = { readonly text: string; readonly forbidsTransfers: boolean }

type Seller = {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly wallet: string
  /** The key that settles; null: a remote facilitator does. */
  readonly privateKey: string | null
}

const freshMs = 30_000

/**
 * What is known to keep payments from being settled, or null. It asks a node in the background,
 * when it is asked itself and the last answer is old; without an answer nothing is known.
 */
export function createLackCheck(seller: Seller, steadyMs: () => number): () => Lack | null {
  let known: Lack | null = null
  let askedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    if (steadyMs() - askedAtMs > freshMs) {
      askedAtMs = steadyMs()
      lackOf(seller).then(
        (found) => {
          known = found
        },
        () => {},
      )
    }
    return known
  }
}

async function lackOf(seller: Seller): Promise<Lack | null> {
  const { network, wallet, privateKey } = seller
  const { kind, gasless } = registry[network]
  if (kind === 'solana' && !(await tokenFacts(seller)).hasAccount) {
    const text = `${wallet} has no token account on Solana: send it some USDC once`
    return { text, forbidsTransfers: true }
  }
  if (privateKey === null || gasless) return null
  const { address, has, takes, scale } = await facilitatorFunds({ ...seller, privateKey })
  if (has >= takes) return null
  const text = `the facilitator ${address} has ${toDecimal(has, scale)} of ${network}’s coin for fees, and a settlement takes up to ${toDecimal(takes, scale)}`
  return { text, forbidsTransfers: false }
}
