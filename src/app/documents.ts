import { createRenderer, type Renderer, startThread } from '../documents/render.ts'

/**
 * Where PDFs are drawn: a few seconds' worth of them may wait, and no more than a quarter of that for one account. Patience outlasts the
 * longest drawing: whoever has the next turn gets it, whatever somebody else is having drawn.
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
