import { randomBytes, randomUUID } from 'node:crypto'
import { DomainError, noSuch } from '../domain/error.ts'
import { toHex } from '../domain/hash.ts'
import { isUuidOf } from '../domain/id.ts'
import type { Anchor, AnchorFacts, Issued } from '../domain/receipts/bundle.ts'
import { cacheByCost } from '../scheduling/cache.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findReceipt, findSenders, type Senders } from '../storage/receipts/receipts.ts'

/** Random to the last bit, as it leads to all that the receipt states. */
export function newReceiptId(): string {
  return `drs_${randomUUID()}`
}

/** The secret of a receipt, of which the salts of its claims are made. */
export function newSeed(): Uint8Array {
  return randomBytes(32)
}

export type Receipts = ReturnType<typeof createReceipts>

type Parts = {
  readonly sql: Sql
  readonly contract: string | null
  /** What a node of the anchor chain says about an anchor, for pages; null: there is no node. */
  readonly readAnchor: ((hash: string, anchor: Anchor) => Promise<AnchorFacts>) | null
  readonly steadyMs: () => number
}

export function createReceipts({ sql, contract, readAnchor, steadyMs }: Parts) {
  const sendersAt = cacheByCost((contract) => findSenders(sql, contract), steadyMs)

  /** A receipt of any account. Errors: `not_found`. */
  async function find(id: string): Promise<Issued> {
    const receipt = isUuidOf('drs_', id) ? await findReceipt(sql, id) : null
    if (!receipt) throw noSuch('receipt')
    return receipt
  }

  async function get(accountId: string, id: string): Promise<Issued> {
    const receipt = await find(id)
    if (receipt.accountId !== accountId) throw noSuch('receipt')
    return receipt
  }

  /** By whom this service anchors; null: by nobody yet. */
  async function issuer(): Promise<(Senders & { readonly contract: string }) | null> {
    const senders = contract && (await sendersAt(contract.toLowerCase()))
    return senders ? { ...senders, contract: contract.toLowerCase() } : null
  }

  /** Null: not anchored, or there is no node. Errors: `not_found`; `unavailable`. */
  const anchorFacts = cacheByCost(async (id) => {
    const { hash, anchored } = await find(id)
    if (!anchored || !readAnchor) return null
    return readAnchor(toHex(hash), anchored.anchor).catch((error: Error) => {
      throw new DomainError('unavailable', 'The chain of the anchor cannot be read right now', {
        operatorText: error.message,
      })
    })
  }, steadyMs)

  return { find, get, issuer, anchorFacts }
}
