import { toHex } from '../../src/domain/hash.ts'
import { type Bundle, bundleOf } from '../../src/domain/receipts/bundle.ts'
import { type Claim, hashOfClaims, inOrder } from '../../src/domain/receipts/claims.ts'
import { rootOf, treeOf } from '../../src/domain/receipts/merkle.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { findReceipt } from '../../src/storage/receipts/receipts.ts'

export const receiptId = 'drs_4f3a8a1e-61a5-4f6b-9d53-0d2f3c1b7a90'

/** A receipt that states a few things, one of each kind of value. */
export function receiptOf(content: Parameters<typeof inOrder>[0] = {}, seedByte = 7) {
  const seed = new Uint8Array(32).fill(seedByte)
  const claims = inOrder({
    ...{ version: 2, kind: 'settlement', receiptId, settled: true, mandateHash: null },
    ...{
      total: '14.88',
      txHashes: ['0xa1', '0xa2'],
      transfers: [{ amount: '14.88', from: 'é\n"' }],
    },
    ...content,
  })
  return { seed, claims, hash: hashOfClaims(seed, claims) }
}

/** What a stored receipt states, by the names of its claims. */
export async function statedBy(sql: Sql, id: string) {
  const found = await findReceipt(sql, id)
  // biome-ignore lint/suspicious/noExplicitAny: claims have values of every shape
  return Object.fromEntries(found?.claims ?? []) as Record<string, any>
}

export type TestReceipt = {
  readonly seed: Uint8Array
  readonly claims: readonly Claim[]
  readonly hash: Uint8Array
}

export type EventPlace = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
}

/** The root of the batch of a receipt and `others`, the bundle of which is anchored at `place`. */
export function batchOf(receipt: TestReceipt, others: readonly TestReceipt[], index = 0) {
  const leaves = others.map(({ hash }) => hash).toSpliced(index, 0, receipt.hash)
  const root = toHex(rootOf(leaves))
  const bundleAt = (place: EventPlace | null, show: readonly string[] | null = null): Bundle =>
    bundleOf(
      {
        ...receipt,
        ...{ receiptId, accountId: '', kind: 'settlement', invoiceId: null },
        ...{ issuedAt: '', revokedAt: null },
        anchored: place && {
          place: { index, size: leaves.length, path: treeOf(leaves).pathOf(index) },
          anchor: { ...place, root },
        },
      },
      show,
    )
  return { root, size: leaves.length, bundleAt }
}

/** What a bundle shows. */
export function claimsIn({ claims }: Pick<Bundle, 'claims'>) {
  const shown = claims.flatMap((claim) => ('name' in claim ? [[claim.name, claim.value]] : []))
  // biome-ignore lint/suspicious/noExplicitAny: claims have values of all kinds
  return Object.fromEntries(shown) as Readonly<Record<string, any>>
}
