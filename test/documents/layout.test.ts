import { afterAll, describe, expect, test } from 'bun:test'
import { documentOf, type InvoiceDocument } from '../../src/documents/invoice-document.ts'
import { createRenderer, startThread } from '../../src/documents/render.ts'
import type { Command, Terms } from '../../src/domain/invoice.ts'
import { maxUnits } from '../../src/domain/money.ts'
import { type DrawnText, drawnTexts } from '../support/drawn-text.ts'
import { after, payment } from '../support/invoice.ts'
import { variants } from './variants.ts'

/** Terms with `text` repeated in every field up to the length the API accepts. */
function fullOf(text: string): Partial<Terms> {
  const upTo = (length: number) => text.repeat(length).slice(0, length)
  const ofOneLine = (length: number) => upTo(length).replaceAll('\n', ' ')
  const side = { name: ofOneLine(256), address: upTo(500), vat: ofOneLine(64) }
  const { terms } = variants.due
  return {
    ...terms,
    seller: { ...side, email: null, wallet: null },
    buyer: { ...side, email: ofOneLine(254) },
    agentId: ofOneLine(256),
    mandateId: ofOneLine(256),
    description: upTo(4_000),
  }
}

const { terms } = variants.due
const send: Command = { kind: 'send' }
const parts: Command[] = Array.from({ length: 60 }, (_, n) => ({
  kind: 'credit',
  payment: payment({ key: `base:0x${n}:0`, txHash: `0x${'5e'.repeat(32)}`, usdcBase: 1n }),
}))
const lines = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n + 1}`).join('\n')
const largest = { subtotalUnits: maxUnits, totalUnits: maxUnits, dueUsdcBase: maxUnits }

const crowded = {
  'an address of 50 lines': after([send], {
    ...terms,
    seller: { ...terms.seller, address: lines(50) },
    buyer: { ...terms.buyer, address: lines(50) },
  }),
  'a description of 150 lines': after([send], { ...terms, description: lines(150) }),
  'a letter a line': after([send], fullOf('a\n')),
  'the widest letters, without a space': after([send], fullOf('W')),
  'words that almost fit': after([send], fullOf(`${'W'.repeat(20)} `)),
  'wide words': after([send], fullOf('WWWWWW ')),
  'a word a line': after([send], fullOf('Wordy\n')),
  'letters of Greek and Cyrillic': after([send], fullOf('Ψυχή Жизнь ')),
  'sixty transfers': after([send, ...parts], terms),
  'the largest amounts': after([send], { ...terms, ...largest }),
  'the largest amounts, of six decimals': after([send], {
    ...terms,
    ...largest,
    currency: 'USDC',
    scale: 6,
  }),
}

const renderer = createRenderer({
  mostWaiting: 64,
  mostWaitingOfOne: 64,
  patienceMs: 60_000,
  deadlineMs: 60_000,
  startThread,
})
afterAll(() => renderer.close())

describe.each(Object.entries({ ...variants, ...crowded }))('%s', (_, invoice) => {
  test('stays on its pages, one text beside the other, and loses nothing', async () => {
    const document = documentOf(invoice)
    const texts = drawnTexts(await renderer.render({ document, xml: '<a/>' }, { accountId: 'acc' }))
    const upright = texts.filter(({ isTilted }) => !isTilted)
    expect(upright.filter((text) => !isWithinMargins(text)).map(saying)).toEqual([])
    expect(overlapping(upright)).toEqual([])
    expect(lost(document, texts)).toEqual([])
  })
})

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

/** The letters that a document contains more often than they are drawn. */
function lost(document: InvoiceDocument, texts: readonly DrawnText[]): readonly string[] {
  const { seller, buyer, facts, item, totals, total, payment: pay, settlement, notes } = document
  const values = [...facts, ...totals, total, ...(pay?.facts ?? []), ...(settlement?.facts ?? [])]
  const all = [
    [seller.name, ...seller.lines, buyer.name, ...buyer.lines, ...item.description, ...notes],
    [item.unitPrice, item.amount, item.taxRate, pay?.heading ?? '', pay?.hint ?? ''],
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
