import { describe, expect, test } from 'bun:test'
import { documentOf, type InvoiceDocument } from '../../../src/documents/pdf/invoice-document.ts'
import { creditJobOf, jobOf } from '../../../src/documents/pdf/render.ts'
import { english } from '../../../src/documents/words/english.ts'
import { languages } from '../../../src/documents/words/language.ts'
import { type DrawnText, drawnTexts } from '../../support/drawn-text.ts'
import { faultsOf } from '../../support/page-layout.ts'
import { draw, inspectPdf } from '../../support/pdf.ts'
import { parseXml } from '../../support/xml.ts'
import { crowded, crowdedLines } from '../crowded.ts'
import { creditNoteOf, lined } from '../lined.ts'
import { variants } from '../variants.ts'

const invoices = { ...variants, ...crowded, ...lined, ...crowdedLines }
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

  test('repeats the head of the table on each page of a hundred lines', async () => {
    const texts = drawnTexts(await drawn('a hundred lines'))
    const said = texts.map(({ page, glyphs }) => [
      page,
      glyphs.map(({ letters }) => letters).join(''),
    ])
    const pagesWith = (wanted: RegExp) =>
      new Set(said.flatMap(([page, text]) => (wanted.test(`${text}`) ? [page] : [])))
    const lines = pagesWith(/^Line \d+/)
    expect(lines.size).toBeGreaterThan(3)
    expect(pagesWith(/^Unit price$/)).toEqual(lines)
    expect(said.filter(([, text]) => /^Line \d+/.test(`${text}`)).length).toBe(100)
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

  test('shows letters that no font has as �', async () => {
    const document = { ...documentOf(variants.due, english), notes: ['ሰላም 𒀀 \ud83d'] }
    const { pages, fonts } = inspectPdf(await draw({ document, xml: '<a/>' }))
    expect([pages, fonts.filter((font) => !font.includes('DejaVu'))]).toEqual([1, []])
  })
})

const noto = (pdf: Uint8Array) =>
  inspectPdf(pdf)
    .fonts.map((font) => font.replace(/^.*\+/, ''))
    .filter((font) => font.startsWith('Noto'))
    .sort()

const written = (text: string): InvoiceDocument => ({
  ...documentOf(variants.due, english),
  notes: [text],
})

test.each<[script: string, text: string, fonts: readonly string[]]>([
  ['Japanese', '株式会社テスト・ひらがな（東京）', ['NotoSansJP-Regular']],
  ['Korean', '주식회사 테스트 大韓民國', ['NotoSansKR-Regular']],
  ['Chinese', '北京请求书貿易有限公司，㈱', ['NotoSansHans-Regular']],
  ['Devanagari', 'नमस्ते श्री क्षेत्र प्रौद्योगिकी', ['NotoSansDevanagari-Regular']],
  ['Thai', 'สวัสดี บริษัทกรุงเทพ', ['NotoSansThai-Regular']],
  ['emoji', '🙂 🚀 👨‍👩‍👧 ❤️', ['NotoEmoji-Regular']],
  ['Arabic', 'محمد بن سلمان', []],
  ['Hebrew', 'שלום עולם', []],
  ['accents', 'Żółć Ελλάς Привет', []],
])(
  '%s: every letter is drawn, and only the fonts that it needs are inside',
  async (_, text, fonts) => {
    const document = written(text.replace(/[\u200d\ufe0f]/g, ''))
    const pdf = await draw({ document: written(text), xml: '<a/>' })
    expect(faultsOf(pdf, document)).toEqual({ outside: [], overlapping: [], lost: [] })
    expect(noto(pdf)).toEqual([...fonts])
  },
)

test('a name in any script gives the same bytes whatever was drawn before', async () => {
  const drawnAs = async (text: string) =>
    Buffer.from(await draw({ document: written(text), xml: '<a/>' }))
  const names = 'नमस्ते 株式会社 주식회사 สวัสดี 🙂 محمد'
  const first = await drawnAs(names)
  await drawnAs('श्री 社会 テスト 회사 กรุงเทพ 🚀 سلمان')
  expect((await drawnAs(names)).equals(first)).toBe(true)
})

test.each(['محمد', 'שלום'])('%s is written from right to left', async (name) => {
  const texts = drawnTexts(await draw({ document: written(name), xml: '<a/>' }))
  const said = texts.map(({ glyphs }) => glyphs.map(({ letters }) => letters).join(''))
  expect(said).toContain([...name].reverse().join(''))
})

test('a long text without spaces breaks between its letters, without a hyphen', async () => {
  const text = '株式会社テスト東京支社'.repeat(12)
  const texts = drawnTexts(await draw({ document: written(text), xml: '<a/>' }))
  const said = texts.map(({ glyphs }) => glyphs.map(({ letters }) => letters).join(''))
  const lines = said.filter((line) => /[株式会社東京支社テスト]/u.test(line))
  expect(lines.join('')).toBe(text)
})

test.each(languages)('the PDF in %s has all its texts, with room for each', async (language) => {
  for (const name of [
    'partly paid',
    'settled, overpaid, in euros',
    'void',
    'expired',
    'a line of each untaxed category but one',
    'outside the scope of VAT',
  ] as const) {
    const job = jobOf(invoices[name], language)
    expect(faultsOf(await draw(job), job.document)).toEqual({
      outside: [],
      overlapping: [],
      lost: [],
    })
  }
})

test.each(languages)('the PDF of a credit note in %s has all its texts', async (language) => {
  const invoice = lined['a line of each untaxed category but one']
  const job = creditJobOf(creditNoteOf(invoice), invoice, language)
  const pdf = await draw(job)
  expect(faultsOf(pdf, job.document)).toEqual({ outside: [], overlapping: [], lost: [] })
  expect(inspectPdf(pdf).attachment).toContain('<ram:TypeCode>381</ram:TypeCode>')
})
