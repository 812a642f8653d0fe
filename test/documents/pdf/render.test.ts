import { describe, expect, spyOn, test } from 'bun:test'
import { createRenderer, jobOf, startThread } from '../../../src/documents/pdf/render.ts'
import { after } from '../../support/invoice.ts'
import { inspectPdf, lentThread } from '../../support/pdf.ts'
import { variants } from '../variants.ts'

const options = {
  maxWaiting: 64,
  maxWaitingPerAccount: 64,
  maxWaitMs: 30_000,
  deadlineMs: 30_000,
  startThread: lentThread,
}
const one = { accountId: 'one' }
const other = { accountId: 'other' }

const job = jobOf(variants.due, 'en')
// Runs of alternating direction take longest to lay out.
const slowJob = jobOf(after([], { description: 'א1'.repeat(2_000) }), 'en')
const unavailable = { reason: 'unavailable', retryAfterSeconds: 2 }
const outcomeOf = (rendering: Promise<unknown>) => rendering.catch((error: Error) => error)

/** A renderer whose `n`th thread is `start(n)`, from 0; `started` counts them. */
function rendererWith(start: (n: number) => Worker, more: { deadlineMs?: number } = {}) {
  const threads: Worker[] = []
  const startThread = () => {
    const thread = start(threads.length)
    threads.push(thread)
    return thread
  }
  return { ...createRenderer({ ...options, ...more, startThread }), threads }
}

describe('the thread that draws', () => {
  test('is replaced when it dies; only its current job is lost', async () => {
    const own = rendererWith((n) => (n === 0 ? startThread() : lentThread()))
    const lost = outcomeOf(own.render(job, one))
    const next = own.render(job, one)
    own.threads[0]?.terminate()
    expect(await lost).toMatchObject(unavailable)
    expect(inspectPdf(await next).isPdf).toBe(true)
    expect(own.threads).toHaveLength(2)
    own.close()
  })

  test('may take longer to start than the deadline of a job', async () => {
    const drawing = import.meta.resolve('../../../src/documents/pdf/pdf-worker.ts')
    const script = new Blob([`import ${JSON.stringify(drawing)}; Bun.sleepSync(6_500)`])
    const slow = () => new Worker(URL.createObjectURL(script))
    const own = rendererWith(slow, { deadlineMs: 6_000 })
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    expect(own.threads).toHaveLength(1)
    own.close()
  })

  test('that cannot start costs one job, and the next one has another thread', async () => {
    const broken = new Blob(['throw new Error("no room")'])
    const own = rendererWith((n) =>
      n === 0 ? new Worker(URL.createObjectURL(broken)) : lentThread(),
    )
    const lost = outcomeOf(own.render(job, one))
    const next = own.render(job, one)
    expect(await lost).toMatchObject(unavailable)
    expect(inspectPdf(await next).isPdf).toBe(true)
    own.close()
  })

  test('that was started ahead serves the first job', async () => {
    const own = rendererWith(lentThread)
    own.start()
    expect(own.threads).toHaveLength(1)
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    expect(own.threads).toHaveLength(1)
    own.close()
  })

  test('is ended when a job misses its deadline', async () => {
    const own = createRenderer({ ...options, startThread, deadlineMs: 1 })
    expect(await outcomeOf(own.render(job, one))).toMatchObject(unavailable)
    own.close()
  })

  test('limits how many jobs wait, in total and of one account', async () => {
    const own = createRenderer({ ...options, maxWaiting: 2, maxWaitingPerAccount: 1 })
    await own.render(job, one)
    const refused = { reason: 'overloaded', retryAfterSeconds: 2 }
    const taken = [own.render(job, one), own.render(job, one)]
    expect(own.render(job, one)).rejects.toMatchObject(refused)
    taken.push(own.render(job, other))
    expect(own.render(job, { accountId: 'third' })).rejects.toMatchObject(refused)
    for (const bytes of await Promise.all(taken)) expect(inspectPdf(bytes).isPdf).toBe(true)
    own.close()
  })

  test('serves accounts in turn, even if one has many documents waiting', async () => {
    const own = createRenderer(options)
    const served: string[] = []
    const ask = (accountId: string) =>
      own.render(job, { accountId }).then(() => served.push(accountId))
    const many = Array.from({ length: 5 }, () => ask('many'))
    await Promise.all([...many, ask('few'), ask('few'), ask('single')])
    expect(served).toEqual(['many', 'few', 'single', 'many', 'few', 'many', 'many', 'many'])
    own.close()
  })

  test('refuses a job that has waited too long', async () => {
    const own = createRenderer({ ...options, maxWaitMs: 100 })
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

  test('rejects a broken job, and draws the next', async () => {
    const broken = { document: job.document } as typeof job
    const own = createRenderer(options)
    expect(own.render(broken, one)).rejects.toThrow()
    expect(inspectPdf(await own.render(job, one)).isPdf).toBe(true)
    own.close()
  })

  test('rejects all waiting jobs when it is closed', async () => {
    const own = createRenderer({ ...options, startThread })
    const waiting = [own.render(job, one), own.render(job, one)]
    own.close()
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
