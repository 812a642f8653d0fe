import { createRenderer, type Renderer, startThread } from '../documents/pdf/render.ts'

/**
 * The renderer of PDFs. The queue holds a few seconds' worth of jobs, at most a quarter of them of
 * one account. `patienceMs` exceeds `deadlineMs`, so the next in line gets its turn however long
 * the current job takes.
 */
export function documentRenderer(): Renderer {
  return createRenderer({
    mostWaiting: 32,
    mostWaitingOfOne: 8,
    patienceMs: 10_000,
    deadlineMs: 8_000,
    startThread,
  })
}
