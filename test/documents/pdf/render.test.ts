import { describe, expect, spyOn, test } from 'bun:test'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { createRenderer, startThread } from '../../../src/documents/pdf/render.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { after } from '../../support/invoice.ts'
import { inspectPdf, lentThread } from '../../support/pdf.ts'
import { variants } from '../variants.ts'

const jobOf = (invoice: Invoice) => ({
  document: documentOf(invoice),
  xml: ciiOf(eInvoiceOf(invoice)),
})
const options = {
  maxWaiting: 64,
  maxWaitingPerAccount: 64,
  maxWaitMs: 30_000,
  deadlineMs: 30_000,
  startThread: lentThread,
}
const one = { accountId: 'one' }
const other = { accountId: 'other' }

describe('the thread that draws', () => {
  const job = jobOf(variants.due)
  // Runs of alternating direction take longest to lay out.
  const slowJob = jobOf(after([], { description: 'א1'.repeat(1_000) }))

  test('is replaced when it dies; only the job it was at is lost', async () => {
    const threads: Worker[] = []
    const own = createRenderer({
      ...options,
      startThread() {
        const thread = threads.length === 0 ? startThread() : lentThread()
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

  test('has its own time to start, however short a job’s deadline', async () => {
    const drawing = import.meta.resolve('../../../src/documents/pdf/pdf-worker.ts')
    const script = new Blob([`import ${JSON.stringify(drawing)}; Bun.sleepSync(4_000)`])
    let started = 0
    const own = createRenderer({
      ...options,
      deadlineMs: 3_500,
      startThread() {
        started++
        return new Worker(URL.createObjectURL(script))
      },
    })
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    expect(started).toBe(1)
    own.close()
  })

  test('costs a job when it cannot start, and is there for the next', async () => {
    const broken = new Blob(['throw new Error("no room")'])
    let started = 0
    const own = createRenderer({
      ...options,
      startThread: () => (started++ === 0 ? new Worker(URL.createObjectURL(broken)) : lentThread()),
    })
    const lost = own.render(job, one).catch((error: Error) => error)
    const next = own.render(job, one)
    expect(await lost).toMatchObject({ reason: 'unavailable' })
    expect(inspectPdf(await next).isPdf).toBe(true)
    own.close()
  })

  test('that was started before serves the first job', async () => {
    let started = 0
    const own = createRenderer({
      ...options,
      startThread() {
        started++
        return lentThread()
      },
    })
    own.start()
    expect(started).toBe(1)
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    expect(started).toBe(1)
    own.close()
  })

  test('is given up when a job takes longer than its deadline', async () => {
    const own = createRenderer({ ...options, startThread, deadlineMs: 1 })
    expect(own.render(job, one)).rejects.toMatchObject({ reason: 'unavailable' })
    await own.render(job, one).catch(() => {})
    own.close()
  })

  test('takes no more than may wait, and of one account no more than its part', async () => {
    const own = createRenderer({ ...options, maxWaiting: 2, maxWaitingPerAccount: 1 })
    await own.render(job, one)
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
    const own = createRenderer({ ...options, maxWaitMs: 50 })
    const settled: string[] = []
    const slow = own.render(slowJob, one).then(() => settled.push('drawn'))
    const late = own.render(job, other).catch(({ reason }) => settled.push(reason))
    await Promise.all([slow, late])
    expect(settled).toEqual(['overloaded', 'drawn'])
    expect(inspectPdf(await own.render(job, other)).isPdf).toBe(true)
    own.close()
  })

  test('draws nothing for a caller that has gone', async () => {
    const begun = spyOn(lentThread(), 'postMessage')
    const own = createRenderer(options)
    const gone = new AbortController()
    const first = own.render(job, one)
    const waiting = own.render(slowJob, { ...one, signal: gone.signal })
    const next = own.render(job, one)
    gone.abort()
    expect(await waiting.catch(({ reason }) => reason)).toBe('overloaded')
    expect(await own.render(slowJob, { ...one, signal: gone.signal }).catch(String)).toBeString()
    await Promise.all([first, next])
    expect(begun.mock.calls.map(([sent]) => sent)).toEqual(['are you ready?', job, job])
    begun.mockRestore()
    own.close()
  })

  test('tells what was wrong with a job, and takes the next', async () => {
    const broken = { document: job.document } as typeof job
    const own = createRenderer(options)
    expect(own.render(broken, one)).rejects.toThrow()
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    own.close()
  })

  test('leaves nobody waiting when it is closed', async () => {
    const own = createRenderer({ ...options, startThread })
    const waiting = [own.render(job, one), own.render(job, one)]
    own.close()
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
