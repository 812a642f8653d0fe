import type { Budgets } from '../actors/budgets.ts'
import type { Invoices } from '../actors/invoices.ts'
import { afterSettling } from '../actors/jobs.ts'
import { createPurchases, messageOf, type Purchases } from '../actors/purchases.ts'
import { evmChain } from '../chain/evm/evm.ts'
import { evmPurchaseReader } from '../chain/evm/purchases.ts'
import type { PurchaseReader } from '../chain/purchase-reader.ts'
import { deadlineIn } from '../chain/rpc/deadline.ts'
import { readSignedTransfer } from '../chain/solana/message.ts'
import { solanaPurchaseReader } from '../chain/solana/purchases.ts'
import { solanaChain, solanaRpc } from '../chain/solana/solana.ts'
import type { Config } from '../config/config.ts'
import { isWatched } from '../config/notes.ts'
import { caip2Of, type InvoiceChain, invoiceChains } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { Token } from '../domain/x402/requirements.ts'
import { createPurchaseWatch, hasPaid, type PurchaseWatch } from '../queues/watching/purchases.ts'
import { findBindable } from '../storage/mandates/bindings.ts'
import type { Sql } from '../storage/postgres/db.ts'
import * as Attempts from '../storage/purchases/attempts.ts'
import * as Followed from '../storage/purchases/followed.ts'
import * as GivenUp from '../storage/purchases/given-up.ts'
import * as Rows from '../storage/purchases/purchases.ts'
import type { Log } from '../telemetry/log.ts'
import { newId, now, steadyMs } from './clock.ts'
import type { WorkerParts } from './workers.ts'

/** The watch of a chain on which nothing is bought. */
export const noPurchases: PurchaseWatch = { follow: async () => {}, reverse: async () => {} }

const quickLookMs = 3_000
/** Longer, for a node that is silent to be noticed: the next look asks another one first. */
const readForMs = 5_000
const voidedAtOnce = 500

/** Purchases through the proxy, and the chain readers that follow their payments. */
export function purchaseService(
  config: Config,
  log: Log,
  sql: Sql,
  actors: { readonly invoices: Invoices; readonly budgets: Budgets },
) {
  const purchases: Purchases = createPurchases({
    ...actors,
    store: {
      addQuote: (quote) => Attempts.addQuote(sql, quote),
      start: (attempt) => Attempts.start(sql, attempt),
      startNew: (quote, attempt) => Attempts.startNew(sql, quote, attempt),
      findNamed: (attempt) => Attempts.findNamed(sql, attempt),
      giveWay: (attempt, leastBase) => GivenUp.giveWay(sql, attempt, leastBase),
      noteReservation: (purchase, reservation) => Rows.noteReservation(sql, purchase, reservation),
      findBindable: (accountId, mandateId) => findBindable(sql, accountId, mandateId),
      giveUp: (invoiceId) => GivenUp.giveUp(sql, invoiceId),
      lapseUnpaid: () => GivenUp.lapseUnpaid(sql, voidedAtOnce),
      markReleased: (invoiceId) => GivenUp.markReleased(sql, invoiceId),
      conclude: (purchase, next) => Rows.conclude(sql, purchase, next),
      nameTransaction: (purchase, txHash) => Rows.nameTransaction(sql, purchase, txHash),
      noteTransaction: (purchase, txHash) => Rows.noteTransaction(sql, purchase, txHash),
      isUnchanged: (purchase) => Rows.isUnchanged(sql, purchase),
      isNamed: (invoiceId, txHash) => Rows.isNamed(sql, invoiceId, txHash),
    },
    fx: config.fx,
    log,
  })
  const readers = new Map(
    invoiceChains
      .filter((chain) => isWatched(config, chain))
      .map((chain) => [chain, readerOn(chain, config)]),
  )
  return {
    ...purchases,
    tokens: tokensIn(config),
    readTransfer: (transaction: string) =>
      readSignedTransfer(transaction, config.networks.solana.usdcAddress),
    readers,
    isTaken,
  }

  /**
   * Whether the payment was taken: false if the chain does not tell in time, and true of what was
   * used up if it does not tell by what.
   */
  async function isTaken(purchase: Rows.Purchase): Promise<boolean> {
    const { requirements, payer, nonce } = purchase
    const reader = readers.get(requirements.network)
    const message = messageOf(purchase)
    if (!reader) return false
    const deadline = deadlineIn(readForMs)
    const late = Bun.sleep(quickLookMs)
    const inTime = (look: Promise<boolean>, otherwise: boolean) =>
      Promise.race([look.catch(() => otherwise), late.then(() => otherwise)])
    if (message) {
      const made = reader.transactionOf(message, deadline)
      return inTime(
        made.then((txHash) => txHash !== null && txHash !== 'waiting'),
        false,
      )
    }
    if (payer === null || nonce === null) return false
    if (!(await inTime(reader.isUsed(payer, nonce, 'latest', deadline), false))) return false
    return inTime(hasPaid(reader, purchase, { payer, nonce }), true)
  }
}

/** Follows the purchases of one chain until they are settled. */
export function purchaseWatch(
  chain: InvoiceChain,
  { config, log, database, queues, service }: WorkerParts,
): PurchaseWatch {
  const { sql } = database
  const reader = service.purchases.readers.get(chain)
  if (!reader) return noPurchases
  return createPurchaseWatch({
    chain,
    reader,
    purchases: service.purchases,
    sql,
    store: {
      next: (limit, looked) => Followed.nextOpen(sql, chain, limit, looked),
      takeOver: (purchase) => Rows.takeOver(sql, purchase),
      take: (purchase, transfer) => Rows.takeTransfer(sql, purchase, transfer),
      isHeldOpen: (purchase, transfers) => Rows.isHeldOpen(sql, purchase, transfers),
      settledSince: (block) => Followed.settledSince(sql, chain, block),
    },
    confirmations: config.networks[chain].confirmations,
    feeBasisPoints: config.feeBasisPoints,
    now,
    steadyMs,
    newId,
    log,
    onSettled: afterSettling({ invoices: service.invoices, jobs: queues }),
  })
}

function readerOn(network: InvoiceChain, config: Config): PurchaseReader {
  const { rpcUrls, usdcAddress: usdc, maxRangeBlocks } = config.networks[network]
  const { chainId } = registry[network]
  if (chainId === null) {
    return solanaPurchaseReader(solanaChain({ rpcUrls, usdc }), solanaRpc({ rpcUrls }), { usdc })
  }
  const on = { chainId, rpcUrls, usdc }
  return evmPurchaseReader({ ...on, chain: evmChain({ network, ...on }), maxRangeBlocks })
}

function tokensIn(config: Config): readonly Token[] {
  return invoiceChains.map((chain) => {
    const { usdcAddress } = config.networks[chain]
    return { network: chain, names: [caip2Of(chain), chain], usdcAddress }
  })
}
