import { noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import { createBatcher } from '../scheduling/batcher.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'

export type InvoiceReader = ReturnType<typeof createInvoiceReader>

/** Renders an invoice as text; the result must depend on the invoice alone. */
export type Show = (invoice: Invoice) => string

type Kept = {
  readonly invoice: Invoice
  readonly texts: Map<Show, string>
  /** About how many characters it takes, texts included. */
  characters: number
}

/** What an invoice takes besides what its caller wrote at length. */
const usualCharacters = 2_000

/**
 * Reads invoices. The most recently read are cached with their texts and served while `isFresh`
 * confirms that changes by other processes are received. All others are read from the database;
 * reads requested in the same turn of the event loop share one query.
 */
export function createInvoiceReader(options: {
  readonly sql: Sql
  readonly isFresh: () => boolean
  readonly most: number
  /** Some invoices are ten times as large as others: of those fewer are cached. */
  readonly mostCharacters: number
}) {
  const kept = new Map<string, Kept>()
  let characters = 0
  const loading = new Map<string, Promise<Invoice | undefined>>()
  const reads = createBatcher({ maxFlushes: Number.POSITIVE_INFINITY, flush: loadAll })

  /**
   * The account's invoice as the text `show` makes of it. Texts are cached by the function itself,
   * so pass the same one each time. Rejects with `not_found`, also for another account's invoice.
   */
  function read(accountId: string, id: string, show: Show): string | Promise<string> {
    const known = options.isFresh() ? kept.get(id) : undefined
    if (known === undefined) return get(accountId, id).then((invoice) => textOf(invoice, show))
    if (known.invoice.accountId !== accountId) return Promise.reject(noSuch('invoice'))
    return known.texts.get(show) ?? textOf(known.invoice, show)
  }

  function textOf(invoice: Invoice, show: Show): string {
    const text = show(invoice)
    const known = kept.get(invoice.id)
    if (known?.invoice === invoice && !known.texts.has(show)) {
      known.texts.set(show, text)
      count(known, text.length)
    }
    return text
  }

  /** The account's invoice, read from the database. Rejects with `not_found`. */
  async function get(accountId: string, id: string): Promise<Invoice> {
    const invoice = isUuid(id) ? await (loading.get(id) ?? load(id)) : undefined
    if (invoice?.accountId !== accountId) throw noSuch('invoice')
    return invoice
  }

  function load(id: string): Promise<Invoice | undefined> {
    const found = arrival()
    loading.set(id, found)
    return found

    async function arrival() {
      try {
        const invoice = await reads.submit('', id)
        if (invoice && loading.get(id) === found) keep(invoice)
        return invoice
      } finally {
        if (loading.get(id) === found) loading.delete(id)
      }
    }
  }

  async function loadAll(ids: readonly string[]): Promise<readonly (Invoice | undefined)[]> {
    const found = new Map(
      (await loadMany(options.sql, ids)).map((invoice) => [invoice.id, invoice]),
    )
    return ids.map((id) => found.get(id))
  }

  function keep(invoice: Invoice): void {
    drop(invoice.id)
    const newest = { invoice, texts: new Map(), characters: 0 }
    kept.set(invoice.id, newest)
    count(newest, charactersIn(invoice))
  }

  /** Counts what a cached invoice takes in addition; the oldest give way to it. */
  function count(one: Kept, more: number): void {
    one.characters += more
    characters += more
    for (const oldest of kept.keys()) {
      if (kept.size <= options.most && characters <= options.mostCharacters) return
      drop(oldest)
    }
  }

  function drop(id: string): void {
    characters -= kept.get(id)?.characters ?? 0
    kept.delete(id)
  }

  /** Drops these invoices from the cache because they have changed. */
  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      drop(id)
      // Reads from now on must not join a query that started before the change.
      loading.delete(id)
    }
  }

  /** Empties the cache because changes may have been missed. */
  function forgetAll(): void {
    kept.clear()
    characters = 0
    loading.clear()
  }

  return { read, get, forget, forgetAll }
}

function charactersIn({ terms: { description, metadata, buyer, seller } }: Invoice): number {
  const texts = [description, metadata, buyer.name, buyer.address, seller.name, seller.address]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), usualCharacters)
}
