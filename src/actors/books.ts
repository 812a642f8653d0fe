import {
  documentEntries,
  type Entry,
  noteEntries,
  refundEntries,
  transferEntries,
} from '../domain/books/journal.ts'
import type { Days } from '../domain/books/period.ts'
import { bookedRefunds, countedNotes } from '../storage/books/credits.ts'
import { bookedTransfers, settledDocuments } from '../storage/books/journal.ts'
import type { Database } from '../storage/postgres/pools.ts'

export type Books = ReturnType<typeof createBooks>

export function createBooks(database: Pick<Database, 'list' | 'listFurther'>) {
  /** The entries of a period in the order of time, in pages. A source is a kind of document. */
  function journal(accountId: string, days: Days): AsyncGenerator<readonly Entry[], void> {
    return inOrder([
      entriesOf(settledDocuments(database, accountId, days), documentEntries),
      entriesOf(bookedTransfers(database, accountId, days), transferEntries),
      entriesOf(countedNotes(database, accountId, days), noteEntries),
      entriesOf(bookedRefunds(database, accountId, days), refundEntries),
    ])
  }

  return { journal }
}

type Pages<Item> = AsyncGenerator<readonly Item[], void>

async function* entriesOf<Item>(
  pages: Pages<Item>,
  read: (item: Item) => readonly Entry[],
): Pages<Entry> {
  for await (const page of pages) yield page.flatMap(read)
}

/** Merges sources that are each in the order of time, with a page of each in memory. */
async function* inOrder(sources: readonly Pages<Entry>[]): Pages<Entry> {
  let heads = await Promise.all(sources.map(nextOf))
  for (;;) {
    heads = heads.filter(({ page }) => page.length > 0)
    if (heads.length === 0) return
    const found: Entry[] = []
    const ended = merge(heads, found)
    yield found
    Object.assign(ended, await nextOf(ended.source))
  }
}

type Head = { readonly source: Pages<Entry>; page: readonly Entry[]; at: number }

/** The next page of a source; an empty one when it has ended. */
async function nextOf(source: Pages<Entry>): Promise<Head> {
  for (;;) {
    const { done, value: page } = await source.next()
    if (done) return { source, page: [], at: 0 }
    if (page.length > 0) return { source, page, at: 0 }
  }
}

/** Moves entries to `found`, the earliest first, until a page has ended. Answers whose. */
function merge(heads: readonly Head[], found: Entry[]): Head {
  for (;;) {
    const head = heads.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a))
    found.push(head.page[head.at++] as Entry)
    if (head.at === head.page.length) return head
  }
}

function timeOf({ page, at }: Head): number {
  return page[at]?.atMs ?? Number.POSITIVE_INFINITY
}
