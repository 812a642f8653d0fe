import type { Invoice } from '../domain/invoices/invoice.ts'

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

export function createInvoiceCache(limits: {
  readonly most: number
  /** Some invoices are ten times as large as others: of those fewer are cached. */
  readonly mostCharacters: number
}) {
  const kept = new Map<string, Kept>()
  let characters = 0

  function get(id: string): Invoice | undefined {
    return kept.get(id)?.invoice
  }

  function add(invoice: Invoice): void {
    drop(invoice.id)
    const newest = { invoice, texts: new Map(), characters: 0 }
    kept.set(invoice.id, newest)
    count(newest, charactersIn(invoice))
  }

  /** The invoice as text; kept while this very invoice is cached. */
  function textOf(invoice: Invoice, show: Show): string {
    const known = kept.get(invoice.id)
    if (known?.invoice !== invoice) return show(invoice)
    const text = known.texts.get(show) ?? show(invoice)
    if (!known.texts.has(show)) {
      known.texts.set(show, text)
      count(known, text.length)
    }
    return text
  }

  /** Counts what a cached invoice takes in addition; the oldest give way to it. */
  function count(one: Kept, more: number): void {
    one.characters += more
    characters += more
    for (const oldest of kept.keys()) {
      if (kept.size <= limits.most && characters <= limits.mostCharacters) return
      drop(oldest)
    }
  }

  function drop(id: string): void {
    characters -= kept.get(id)?.characters ?? 0
    kept.delete(id)
  }

  function clear(): void {
    kept.clear()
    characters = 0
  }

  return { get, add, textOf, drop, clear }
}

function charactersIn({ terms: { description, metadata, buyer, seller } }: Invoice): number {
  const texts = [description, metadata, buyer.name, buyer.address, seller.name, seller.address]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), usualCharacters)
}
