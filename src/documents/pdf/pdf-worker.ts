import { type Job, pdfOf } from './pdf.tsx'

export type Answer = 'ready' | Drawn

export type Drawn = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly fault: string }

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Job | 'are you ready?'>) => {
  self.postMessage(data === 'are you ready?' ? 'ready' : await drawn(data))
}

async function drawn(job: Job): Promise<Drawn> {
  try {
    return { bytes: await pdfOf(job) }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
