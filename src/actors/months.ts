import { leafOf, numberOf, type Series, saltsOf } from '../domain/books/documents.ts'
import { toHex } from '../domain/hash.ts'
import { type Tree, treeOf } from '../domain/receipts/merkle.ts'
import { ofBooks } from '../domain/receipts/receipt.ts'
import { documentsIn, seriesIn, settledIn } from '../storage/books/documents.ts'
import { type DueMonth, dueMonths, storeMonth } from '../storage/books/months.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { asOnlyOne } from '../storage/postgres/only-one.ts'
import { newReceiptId, newSeed } from './receipts.ts'

type Parts = {
  readonly sql: Sql
  /** Allows statements of any length. */
  readonly unhurriedSql: Sql
  readonly now: () => Date
  readonly log: { error(line: object, message: string): void }
}

const mostAtOnce = 10_000

/** Issues the receipts of months that are over. Returns how many; one that fails stops no other. */
export async function closeMonths({ sql, unhurriedSql, now, log }: Parts): Promise<number> {
  let closed = 0
  await asOnlyOne(sql, 'months', async () => {
    for (const due of await dueMonths(unhurriedSql, mostAtOnce)) {
      try {
        if (await closeMonth(unhurriedSql, due, now())) closed++
      } catch (err) {
        const { accountId, month } = due
        log.error({ err, accountId, month }, 'the receipt of a month could not be issued')
      }
    }
  })
  return closed
}

async function closeMonth(sql: Sql, due: DueMonth, now: Date): Promise<boolean> {
  const { accountId, month, since } = due
  const series = await seriesIn(sql, accountId, month)
  const issue = { receiptId: newReceiptId(), issuedAt: now.toISOString(), seed: newSeed() }
  const tree = await treeOfMonth(sql, due, series, issue.seed)
  const [documents, documentsRoot] = [tree?.size ?? 0, tree && toHex(tree.root)]
  const settlements = await settledIn(sql, accountId, month)
  const stated = { accountId, month, since, documents, documentsRoot, series, settlements }
  return storeMonth(sql, due, ofBooks(stated, issue), now)
}

/** The tree over the documents of a month, with the salts of its receipt; null: there are none. */
export async function treeOfMonth(
  sql: Sql,
  { accountId, month }: Pick<DueMonth, 'accountId' | 'month'>,
  series: readonly Series[],
  seed: Uint8Array,
): Promise<Tree | null> {
  const saltOf = saltsOf(seed)
  const leaves: Uint8Array[] = []
  for await (const page of documentsIn(sql, accountId, month, series)) {
    const hashes = page.map(({ stored }) => leafOf(saltOf(numberOf(stored)), stored))
    leaves.push(Buffer.concat(hashes))
  }
  return leaves.length === 0 ? null : treeOf(leaves)
}
