import { createRenderer, type Renderer, startThread } from '../documents/render.ts'

/** Where PDFs are drawn: a few seconds' worth of them may wait, and fewer of one account, so that four accounts are needed to keep out a fifth. */
export function documentRenderer(): Renderer {
  return createRenderer({
    mostWaiting: 32,
    mostWaitingOfOne: 8,
    patienceMs: 5_000,
    deadlineMs: 8_000,
    startThread,
  })
}
