import { anchorClient } from '../../chain/anchor/anchor.ts'
import { networks } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import type { Work, WorkParts } from '../work.ts'
import { type AnchorWorker, createAnchorWorker, usualLimits } from './anchor.ts'

const againAfterMs = 1_000

/** Anchors what is owed, and again each second until all of it is deep. */
export function anchorWork(parts: WorkParts): Work<'anchor'> {
  const { queues } = parts
  const worker = workerOf(parts)
  async function anchorAll(): Promise<number> {
    const { openTransactions } = (await worker?.run()) ?? { openTransactions: 0 }
    // The job id limits it to one per second.
    const jobId = `look-${Math.floor(Date.now() / againAfterMs)}`
    // Null: another process is sending, and may have read the owed events before ours was added.
    if (openTransactions !== 0) await queues.add('anchor', {}, { jobId, delayMs: againAfterMs })
    return openTransactions ?? 0
  }
  return {
    ...(worker && { process: async () => void (await anchorAll()) }),
    recoverDue: { anchors: anchorAll },
  }
}

function workerOf(parts: WorkParts): AnchorWorker | null {
  const { config, anchorPrivateKey: privateKey, sql, invoices, steadyMs, newId, log } = parts
  const { rpcUrls, contract } = config.anchor
  if (rpcUrls.length === 0 || contract === null || privateKey === null) return null
  return createAnchorWorker({
    client: anchorClient({ rpcUrls, privateKey, contract }),
    contract,
    sql,
    // An unknown chain id is taken for a test chain of Base.
    confirmations: (chainId) =>
      config.networks[networks.find((name) => registry[name].chainId === chainId) ?? 'base']
        .confirmations,
    limits: usualLimits,
    steadyMs,
    newId,
    async announce({ invoiceId, receiptId }) {
      await invoices.execute(invoiceId, { kind: 'receipt_anchored', receiptId })
    },
    log,
  })
}
