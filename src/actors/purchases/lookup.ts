import type { InvoiceChain } from '../../domain/network.ts'
import { authorizationOf, messageOf, pays } from '../../domain/purchases/evidence.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { PurchaseReader } from '../../domain/purchases/reader.ts'

/** What can be asked about payments, on each chain that is watched. */
export type PurchaseReaders = ReadonlyMap<InvoiceChain, PurchaseReader>

/** How long a caller waits for the chain. */
const lookupMs = 3_000
/** Longer, for a node that is silent to be noticed: the next lookup asks another one first. */
const readMs = 5_000

/**
 * Whether the payment was taken: false if the chain does not tell in time, and true of what was
 * used up if it does not tell by what.
 */
export async function isTakenOnChain(
  readers: PurchaseReaders,
  purchase: Purchase,
): Promise<boolean> {
  const reader = readers.get(purchase.requirements.network)
  if (!reader) return false
  const late = Bun.sleep(lookupMs)
  const inTime = (lookup: Promise<boolean>, otherwise: boolean) =>
    Promise.race([lookup.catch(() => otherwise), late.then(() => otherwise)])
  const message = messageOf(purchase)
  if (message) {
    const made = reader.transactionOf(message, readMs)
    return inTime(
      made.then((txHash) => txHash !== null && txHash !== 'waiting'),
      false,
    )
  }
  const authorization = authorizationOf(purchase)
  if (!authorization) return false
  const { payer, nonce } = authorization
  if (!(await inTime(reader.isUsed(payer, nonce, 'latest', readMs), false))) return false
  return inTime(hasPaid(reader, purchase, authorization), true)
}

/**
 * Whether what used an authorization up has paid for the purchase. Its payer may have signed the
 * nonce for something else as well, or have cancelled it.
 */
async function hasPaid(
  reader: PurchaseReader,
  purchase: Purchase,
  { payer, nonce }: { readonly payer: string; readonly nonce: string },
): Promise<boolean> {
  const usedBy = await reader.transactionUsing(payer, nonce, purchase.createdAt)
  const { payTo } = purchase.requirements
  const using = usedBy && (await reader.transaction(usedBy.txHash, payTo, null))
  return !using || using.transfers.some((transfer) => pays(transfer, purchase))
}
