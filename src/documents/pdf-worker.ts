import { type Job, pdfOf } from './pdf.tsx'

/** The answer of this thread to `render.ts`: it takes one job at a time and answers each once. */
export type Drawn = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly fault: string }

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  self.postMessage(await drawn(data))
}

async function drawn(job: Job): Promise<Drawn> {
  try {
    return { bytes: await pdfOf(job) }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
