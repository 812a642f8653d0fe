import { afterAll, describe, expect, test } from 'bun:test'
import { ciiOf } from '../../src/documents/cii.ts'
import { eInvoiceOf } from '../../src/documents/einvoice.ts'
import { documentOf } from '../../src/documents/invoice-document.ts'
import { createRenderer, startThread } from '../../src/documents/render.ts'
import type { Invoice } from '../../src/domain/invoice.ts'
import { after } from '../support/invoice.ts'
import { inspectPdf } from '../support/pdf.ts'
import { parseXml } from '../support/xml.ts'
import { variants } from './variants.ts'

const jobOf = (invoice: Invoice) => ({
  document: documentOf(invoice),
  xml: ciiOf(eInvoiceOf(invoice)),
})
const options = {
  mostWaiting: 64,
  mostWaitingOfOne: 64,
  patienceMs: 30_000,
  deadlineMs: 30_000,
  startThread,
}
const one = { accountId: 'one' }
const other = { accountId: 'other' }
const renderer = createRenderer(options)
afterAll(() => renderer.close())

const long = 'of long texts'
const ordinary = Object.entries(variants).filter(([name]) => name !== long)

describe.each(ordinary)('%s', (_, invoice) => {
  test('is one page, in embedded fonts alone, with the invoice as XML inside', async () => {
    const { attachment, ...pdf } = inspectPdf(await renderer.render(jobOf(invoice), one))
    expect(pdf).toMatchObject({ isPdf: true, pages: 1 })
    expect(pdf.fonts.filter((font) => !font.includes('DejaVu'))).toEqual([])
    expect(pdf.embeddedFonts).toBeGreaterThan(0)
    expect(attachment).toBe(jobOf(invoice).xml)
  })

  test('is the same bytes each time', async () => {
    const [first, second] = await Promise.all([
      renderer.render(jobOf(invoice), one),
      renderer.render(jobOf(structuredClone(invoice)), one),
    ])
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(true)
  })
})

describe('a PDF', () => {
  test('runs over as many pages as its texts need', async () => {
    const { isPdf, pages } = inspectPdf(await renderer.render(jobOf(variants[long]), one))
    expect([isPdf, pages]).toEqual([true, 3])
  })

  test('says of itself that it is PDF/A-3b and Factur-X, in well-formed metadata', async () => {
    const { metadata } = inspectPdf(await renderer.render(jobOf(variants.due), one))
    expect(parseXml(metadata).name).toBe('x:xmpmeta')
    expect(metadata).toContain('<pdfaid:part>3</pdfaid:part>')
    expect(metadata).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>')
  })

  test('links every transfer to where it can be looked up', async () => {
    const { links } = inspectPdf(await renderer.render(jobOf(variants.settled), one))
    expect(links).toEqual([`https://basescan.org/tx/0x${'5e'.repeat(32)}`])
  })

  test('shows letters that no font here has as �, and goes on', async () => {
    const document = { ...documentOf(variants.due), notes: ['請求書 😀 \ud83d'] }
    const { pages, fonts } = inspectPdf(await renderer.render({ document, xml: '<a/>' }, one))
    expect([pages, fonts.filter((font) => !font.includes('DejaVu'))]).toEqual([1, []])
  })
})

describe('the thread that draws', () => {
  const job = jobOf(variants.due)
  // As many runs of alternating direction as fit: this takes longest to lay out.
  const slowJob = jobOf(after([], { description: 'א1'.repeat(2_000) }))

  test('is replaced when it dies; only the job it was at is lost', async () => {
    const threads: Worker[] = []
    const own = createRenderer({
      ...options,
      startThread() {
        const thread = startThread()
        threads.push(thread)
        return thread
      },
    })
    const lost = own.render(job, one).catch((error: Error) => error)
    const next = own.render(job, one)
    threads[0]?.terminate()
    expect(await lost).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 2 })
    expect(inspectPdf(await next).isPdf).toBe(true)
    expect(threads).toHaveLength(2)
    own.close()
  })

  test('is given up when a job takes longer than its deadline', async () => {
    const own = createRenderer({ ...options, deadlineMs: 1 })
    expect(own.render(job, one)).rejects.toMatchObject({ reason: 'unavailable' })
    await own.render(job, one).catch(() => {})
    own.close()
  })

  test('takes no more than may wait, and of one account no more than its part', async () => {
    const own = createRenderer({ ...options, mostWaiting: 2, mostWaitingOfOne: 1 })
    const refused = { reason: 'overloaded', retryAfterSeconds: 2 }
    const taken = [own.render(job, one), own.render(job, one)]
    expect(own.render(job, one)).rejects.toMatchObject(refused)
    taken.push(own.render(job, other))
    expect(own.render(job, { accountId: 'third' })).rejects.toMatchObject(refused)
    expect((await Promise.all(taken)).map((bytes) => inspectPdf(bytes).isPdf)).toEqual([
      true,
      true,
      true,
    ])
    own.close()
  })

  test('serves accounts in turn, however many documents one of them waits for', async () => {
    const own = createRenderer(options)
    const served: string[] = []
    const ask = (accountId: string) =>
      own.render(job, { accountId }).then(() => served.push(accountId))
    const many = Array.from({ length: 5 }, () => ask('many'))
    await Promise.all([...many, ask('few'), ask('few'), ask('single')])
    expect(served).toEqual(['many', 'few', 'single', 'many', 'few', 'many', 'many', 'many'])
    own.close()
  })

  test('is not waited for longer than a caller’s patience, whatever it is at', async () => {
    const own = createRenderer({ ...options, patienceMs: 50 })
    const settled: string[] = []
    const slow = own.render(slowJob, one).then(() => settled.push('drawn'))
    const late = own.render(job, other).catch(({ reason }) => settled.push(reason))
    await Promise.all([slow, late])
    expect(settled).toEqual(['overloaded', 'drawn'])
    expect(inspectPdf(await own.render(job, other)).isPdf).toBe(true)
    own.close()
  })

  test('draws nothing for a caller that has gone', async () => {
    const begun: unknown[] = []
    const own = createRenderer({
      ...options,
      startThread() {
        const thread = startThread()
        const post = thread.postMessage.bind(thread)
        thread.postMessage = (sent: unknown) => {
          begun.push(sent)
          post(sent)
        }
        return thread
      },
    })
    const gone = new AbortController()
    const first = own.render(job, one)
    const waiting = own.render(slowJob, { ...one, signal: gone.signal })
    const next = own.render(job, one)
    gone.abort()
    expect(await waiting.catch(({ reason }) => reason)).toBe('overloaded')
    expect(await own.render(slowJob, { ...one, signal: gone.signal }).catch(String)).toBeString()
    await Promise.all([first, next])
    expect(begun).toEqual([job, job])
    own.close()
  })

  test('tells what was wrong with a job, and takes the next', async () => {
    const broken = { document: job.document } as typeof job
    expect(renderer.render(broken, one)).rejects.toThrow()
    expect(inspectPdf(await renderer.render(job, one)).isPdf).toBe(true)
  })

  test('leaves nobody waiting when it is closed', async () => {
    const own = createRenderer(options)
    const waiting = [own.render(job, one), own.render(job, one)]
    own.close()
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
