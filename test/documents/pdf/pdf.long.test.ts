import { describe, expect, test } from 'bun:test'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { jobOf } from '../../../src/documents/pdf/render.ts'
import { english } from '../../../src/documents/words/english.ts'
import { type DrawnText, drawnTexts } from '../../support/drawn-text.ts'
import { faultsOf } from '../../support/page-layout.ts'
import { draw, inspectPdf } from '../../support/pdf.ts'
import { parseXml } from '../../support/xml.ts'
import { crowded } from '../crowded.ts'
import { variants } from '../variants.ts'

const invoices = { ...variants, ...crowded }
type Name = keyof typeof invoices

/** The PDF of an invoice, drawn once for all tests that look at it. */
function drawn(name: Name): Promise<Uint8Array> {
  const pdf = pdfs.get(name) ?? draw(jobOf(invoices[name], 'en'))
  pdfs.set(name, pdf)
  return pdf
}
const pdfs = new Map<Name, Promise<Uint8Array>>()

const all = Object.keys(invoices) as Name[]
const long = 'of long texts'
const ordinary = all.filter((name) => name in variants && name !== long)

test.each(all)('%s: no text is lost, overlaps another or leaves its page', async (name) => {
  const faults = faultsOf(await drawn(name), documentOf(invoices[name], english))
  expect(faults).toEqual({ outside: [], overlapping: [], lost: [] })
})

test.each(ordinary)(
  '%s: one page, only embedded fonts, and the invoice attached as XML',
  async (name) => {
    const { attachment, ...pdf } = inspectPdf(await drawn(name))
    expect(pdf).toMatchObject({ isPdf: true, pages: 1 })
    expect(pdf.fonts.filter((font) => !font.includes('DejaVu'))).toEqual([])
    expect(pdf.embeddedFonts).toBeGreaterThan(0)
    expect(attachment).toBe(jobOf(invoices[name], 'en').xml)
  },
)

// Together they have everything that a page can have.
test.each(['draft', 'due', 'settled, overpaid, in euros', 'in many alphabets'] as const)(
  '%s: the same bytes each time',
  async (name) => {
    const again = await draw(jobOf(structuredClone(invoices[name]), 'en'))
    expect(Buffer.from(again).equals(Buffer.from(await drawn(name)))).toBe(true)
  },
)

describe('a PDF', () => {
  test('has as many pages as its texts need', async () => {
    const { isPdf, pages } = inspectPdf(await drawn(long))
    expect([isPdf, pages]).toEqual([true, 3])
  })

  test('starts a long description on its first page', async () => {
    const { terms } = variants.due
    for (const count of [36, 37, 38, 39, 40]) {
      const description = Array.from({ length: count }, (_, n) => `Line ${n + 1}`).join('\n')
      const texts = drawnTexts(
        await draw(jobOf({ ...variants.due, terms: { ...terms, description } }, 'en')),
      )
      const wordsOf = ({ glyphs }: DrawnText) => glyphs.map(({ letters }) => letters).join('')
      const lines = texts.filter((text) => wordsOf(text).startsWith('Line '))
      expect(lines.filter(({ page }) => page === 1).length).toBe(Math.min(count, 38))
    }
  })

  test('declares PDF/A-3b and Factur-X in well-formed metadata', async () => {
    const { metadata } = inspectPdf(await drawn('due'))
    expect(parseXml(metadata).name).toBe('x:xmpmeta')
    expect(metadata).toContain('<pdfaid:part>3</pdfaid:part>')
    expect(metadata).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>')
  })

  test('links each transfer to a block explorer', async () => {
    const { links } = inspectPdf(await drawn('settled'))
    expect(links).toEqual([`https://basescan.org/tx/0x${'5e'.repeat(32)}`])
  })

  test('shows letters that its fonts lack as �', async () => {
    const document = { ...documentOf(variants.due, english), notes: ['請求書 😀 \ud83d'] }
    const { pages, fonts } = inspectPdf(await draw({ document, xml: '<a/>' }))
    expect([pages, fonts.filter((font) => !font.includes('DejaVu'))]).toEqual([1, []])
  })
})
