import { anchorClient } from '../chain/anchor.ts'
import { createAnchorWorker } from '../queues/anchor.ts'
import { anchorStore } from '../storage/anchors.ts'
import { newId, now } from './clock.ts'
import type { WorkerParts } from './workers.ts'

/** The anchor worker, or null when the configuration has no place to anchor at. */
export function createAnchors({ config, secrets, log, database, service }: WorkerParts) {
  const { rpcUrls, contract } = config.anchor
  const privateKey = secrets.anchorPrivateKey
  if (rpcUrls.length === 0 || contract === null || privateKey === null) return null
  const { sql } = database
  return createAnchorWorker({
    client: anchorClient({ rpcUrls, privateKey, contract }),
    contract,
    store: anchorStore(sql, now),
    now,
    newId,
    announce: async ({ invoiceId, subjectId }) => {
      if (invoiceId)
        await service.invoices.tell(invoiceId, { kind: 'receipt_anchored', receiptId: subjectId })
    },
    log,
  })
}
