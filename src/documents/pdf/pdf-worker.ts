import { drawLogo } from '../logo/draw.ts'
import { pdfOf } from './pdf.tsx'
import type { Job } from './render.ts'

export type Answer = 'ready' | Drawn

export type Drawn = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly fault: string }

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Job | 'are you ready?'>) => {
  self.postMessage(data === 'are you ready?' ? 'ready' : await drawn(data))
}

async function drawn(job: Job): Promise<Drawn> {
  try {
    return { bytes: 'svg' in job ? await drawLogo(job) : await pdfOf(job) }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
