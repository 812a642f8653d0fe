import { anchorClient } from '../chain/anchor/anchor.ts'
import { networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { createAnchorWorker, usualBatch } from '../queues/anchoring/anchor.ts'
import { anchorStore } from '../storage/anchors/anchors.ts'
import { newId, steadyMs } from './clock.ts'
import type { WorkerParts } from './workers.ts'

/** Creates the anchor worker; null if no anchor chain, contract or key is configured. */
export function createAnchors({ config, secrets, log, database, service }: WorkerParts) {
  const { rpcUrls, contract } = config.anchor
  const privateKey = secrets.anchorPrivateKey
  if (rpcUrls.length === 0 || contract === null || privateKey === null) return null
  const { sql } = database
  return createAnchorWorker({
    client: anchorClient({ rpcUrls, privateKey, contract }),
    contract,
    store: anchorStore(sql, {
      onFrozen: (holder) =>
        log.warn(
          { holder },
          'a process that held the anchoring lock is frozen: its connection was ended',
        ),
    }),
    // A chain id that is not in the table is taken for a test chain of Base.
    confirmations: (chainId) =>
      config.networks[networks.find((name) => registry[name].chainId === chainId) ?? 'base']
        .confirmations,
    batch: usualBatch,
    steadyMs,
    newId,
    announce: async ({ invoiceId, subjectId }) => {
      if (invoiceId)
        await service.invoices.execute(invoiceId, {
          kind: 'receipt_anchored',
          receiptId: subjectId,
        })
    },
    log,
  })
}
