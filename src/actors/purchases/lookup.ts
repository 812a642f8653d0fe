import type { Network } from '../../domain/network.ts'
import { authorizationOf, messageOf, pays } from '../../domain/purchases/evidence.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { PurchaseReader } from '../../domain/purchases/reader.ts'

export type PurchaseReaders = ReadonlyMap<Network, PurchaseReader>

/** How long a caller waits for the chain. */
const lookupMs = 3_000
/** Longer, so that a silent node is noticed: the next lookup asks another one first. */
const readMs = 5_000

/**
 * Whether the payment was taken: false if the chain does not answer in time, true if the
 * authorization is used and the chain does not say by what.
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

/** Whether the use of an authorization paid for the purchase, rather than being cancelled. */
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
