import type { InvoiceDocument } from '../../src/documents/pdf/invoice-document.ts'
import { type DrawnText, drawnTexts } from './drawn-text.ts'

/** Texts outside the margins, texts over each other, and letters that are missing. */
export function faultsOf(pdf: Uint8Array, document: InvoiceDocument) {
  const texts = drawnTexts(pdf)
  const upright = texts.filter(({ isTilted }) => !isTilted)
  return {
    outside: upright.filter((text) => !isWithinMargins(text)).map(saying),
    overlapping: overlapping(upright),
    lost: lost(document, texts),
  }
}

const margin = 52
const bottom = 778
const footer = { top: 796, bottom: 812 }
const paper = { width: 595.28 }

function isWithinMargins({ x, y, width, size }: DrawnText): boolean {
  const isBody = y - size >= margin - size && y <= bottom
  const isFooter = y - size >= footer.top - size && y <= footer.bottom
  return x >= margin - 1 && x + width <= paper.width - margin + 1 && (isBody || isFooter)
}

function overlapping(texts: readonly DrawnText[]): readonly string[] {
  return texts.flatMap((one, at) =>
    texts
      .slice(at + 1)
      .filter((other) => isOver(one, other))
      .map((other) => `${saying(one)} and ${saying(other)}`),
  )
}

function isOver(one: DrawnText, other: DrawnText): boolean {
  const shared = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const isBeside = Math.abs(one.y - other.y) >= 0.9 * Math.min(one.size, other.size)
  return one.page === other.page && shared > 1 && !isBeside
}

function lost(document: InvoiceDocument, texts: readonly DrawnText[]): readonly string[] {
  const { seller, buyer, facts, items, totals, total, payment: pay, settlement, notes } = document
  const values = [...facts, ...totals, total, ...(pay?.facts ?? []), ...(settlement?.facts ?? [])]
  const all = [
    [seller, ...(buyer ? [buyer] : [])].flatMap(({ name, lines }) => [name, ...lines]),
    notes,
    items.flatMap((item) => [...item.description, item.quantity, item.unitPrice, item.taxRate]),
    [...items.map(({ amount }) => amount), pay?.heading ?? '', pay?.hint ?? ''],
    values.map(({ value }) => value),
    (settlement?.transfers ?? []).map(({ value }) => value),
  ]
  const wanted = counted(all.flat().join(''))
  const drawn = counted(texts.map(saying).join(''))
  return [...wanted].flatMap(([letter, times]) =>
    (drawn.get(letter) ?? 0) < times ? [`${letter}: ${drawn.get(letter) ?? 0} of ${times}`] : [],
  )
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const letter of text.replace(/\s/g, '').normalize('NFKC'))
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return counts
}

function saying({ glyphs }: DrawnText): string {
  return glyphs.map(({ letters }) => letters).join('')
}
