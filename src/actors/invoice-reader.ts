import { noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import { createBatcher } from '../scheduling/batcher.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { createInvoiceCache, type Show } from './invoice-cache.ts'

export type InvoiceReader = ReturnType<typeof createInvoiceReader>

/**
 * Reads invoices: from a cache while `isFresh` confirms that changes by other processes are
 * received, else from the database. Reads of one turn of the event loop share one query.
 */
export function createInvoiceReader(options: {
  readonly sql: Sql
  readonly isFresh: () => boolean
  readonly most: number
  readonly mostCharacters: number
}) {
  const cache = createInvoiceCache(options)
  const loading = new Map<string, Promise<Invoice | undefined>>()
  const reads = createBatcher({ maxFlushes: Number.POSITIVE_INFINITY, flush: loadAll })

  /**
   * The account's invoice as the text that `showOf` it makes. Texts are cached by that function,
   * so choose among the same ones each time. Rejects with `not_found`, also for another account's
   * invoice.
   */
  function read(
    accountId: string,
    id: string,
    showOf: (invoice: Invoice) => Show,
  ): string | Promise<string> {
    const known = options.isFresh() ? cache.get(id) : undefined
    if (!known) return get(accountId, id).then((invoice) => cache.textOf(invoice, showOf(invoice)))
    return known.accountId === accountId
      ? cache.textOf(known, showOf(known))
      : Promise.reject(noSuch('invoice'))
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
        if (invoice && loading.get(id) === found) cache.add(invoice)
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

  /** Drops these invoices from the cache because they have changed. */
  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      cache.drop(id)
      // Reads from now on must not join a query that started before the change.
      loading.delete(id)
    }
  }

  /** Empties the cache because changes may have been missed. */
  function forgetAll(): void {
    cache.clear()
    loading.clear()
  }

  return { read, get, forget, forgetAll }
}
