import type { Funds } from '../facilitator/funds.ts'
import { isRefusal } from '../rpc/fault.ts'
import type { AnchorClient } from './anchor.ts'

/** To estimate gas. */
const sampleEntry = { kind: 'batch', hash: `0x${'11'.repeat(32)}`, label: '256' } as const

/** What the anchoring key has, and what anchoring one batch takes. Rejects with `ChainError`. */
export async function anchorFunds(
  client: Pick<AnchorClient, 'sender' | 'balanceWei' | 'gasFor' | 'fees'>,
): Promise<Funds> {
  const [has, gas, { maxFeePerGas }] = await Promise.all([
    client.balanceWei(),
    client.gasFor([sampleEntry]).catch(usualGasIfRefused),
    client.fees(),
  ])
  return { address: client.sender, has, takes: gas * maxFeePerGas, scale: 18 }
}

function usualGasIfRefused(error: unknown): bigint {
  // Nodes may refuse to estimate for a sender without funds or for a foreign contract.
  if (isRefusal(error)) return 60_000n
  throw error
}
