import { createRangeReader } from '../rpc/ranges.ts'
import { createRpc } from '../rpc/rpc.ts'
import { contractOf } from './contract.ts'
import { type By, eventsBy } from './logs.ts'

const mostBlocksAQuestion = 10_000

/**
 * Counts the receipts that a sender has had a contract anchor and not revoke, and the different
 * mandates, in the blocks up to `to`. `from` null: since the contract was created, if the node
 * knows when, else all blocks. Rejects with `ChainError`.
 */
export async function tallyOnChain(
  rpcUrls: readonly string[],
  { chainId, contract, sender }: By & { readonly chainId: number },
  { from, to }: { readonly from: number | null; readonly to: number },
): Promise<{ readonly receipts: number; readonly mandates: number }> {
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: chainId })
  const known = from ?? (await contractOf(rpc, contract).lastWithoutContract({ from: 0, to })) ?? 0
  const ranges = createRangeReader((range, by: By) => eventsBy(rpc, by, range), mostBlocksAQuestion)
  const events = (await ranges.readAll({ from: known, to }, { contract, sender })).flat()
  // What a restored backup did not know may have been emitted twice.
  const once = new Map(events.map((event) => [`${event.kind} ${event.hash}`, event])).values()
  const { batch = [], revocation = [], mandate = [] } = Object.groupBy(once, ({ kind }) => kind)
  const anchored = batch.reduce((sum, { label }) => sum + Number(label), 0)
  return { receipts: anchored - revocation.length, mandates: mandate.length }
}
