import { createRenderer, type Renderer, startThread } from '../documents/render.ts'

/** Where PDFs are drawn: about a second's worth of them may wait, and none takes longer than this. */
export function documentRenderer(): Renderer {
  return createRenderer({ mostWaiting: 32, deadlineMs: 8_000, startThread })
}
