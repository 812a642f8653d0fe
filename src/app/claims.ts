import { type Claims, createClaims } from '../actors/claims.ts'
import type { Invoices } from '../actors/invoices.ts'
import { afterSettling } from '../actors/jobs.ts'
import { isSignedByPayer } from '../chain/facilitator/payer-signature.ts'
import type { Config } from '../config/config.ts'
import { noSuch } from '../domain/error.ts'
import type { TransferParts } from '../http/api/transfers.ts'
import type { Queues } from '../queues/queues.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import * as ClaimRows from '../storage/settlement/claims.ts'
import { loadCursor } from '../storage/settlement/cursors.ts'
import { usedForX402 } from '../storage/settlement/transaction-uses.ts'
import { findShown, listTransfers } from '../storage/settlement/transfer-lists.ts'
import { findTransfer, transfersOf } from '../storage/settlement/transfers.ts'
import { newId, now } from './clock.ts'
import type { Database } from './database.ts'

type Parts = {
  readonly config: Config
  readonly sql: Sql
  readonly queues: Queues
  readonly invoices: Invoices
}

/** Claims of payers and assignments by operators: which invoice a transfer pays. */
export function claimService({ config, sql, queues, invoices }: Parts): Claims {
  return createClaims({
    store: {
      invoice: async (id) => (await loadMany(sql, [id]))[0],
      transfer: (name) => findTransfer(sql, name),
      transfersOf: (chain, txHash) => transfersOf(sql, chain, txHash),
      isUsedForX402: async (chain, sent) => (await usedForX402(sql, chain, [sent])).size > 0,
      lastBlock: async (chain) => (await loadCursor(sql, chain))?.checkpoints.at(-1)?.number ?? 0,
      keep: (claim, most) => ClaimRows.keepClaim(sql, claim, most),
      commit: (assignment) => ClaimRows.commitAssignment(sql, assignment),
      overlooked: () => ClaimRows.overlookedClaims(sql),
    },
    isSignedByPayer,
    feeBasisPoints: config.feeBasisPoints,
    now,
    newId,
    onSettled: afterSettling({ invoices, jobs: queues }),
  })
}

/** Reads the transfers of all accounts, for operators. */
export function transferReader({ sql, list }: Database): TransferParts['transfers'] {
  return {
    // Operators share what any account may have under way.
    list: (query) => list('operators', (listSql) => listTransfers(listSql, query)),
    async get(name) {
      const transfer = await findShown(sql, name)
      if (!transfer) throw noSuch('transfer')
      return transfer
    },
  }
}
