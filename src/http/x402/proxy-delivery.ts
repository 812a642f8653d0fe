import type { Delivery, KeptAnswer } from '../../domain/purchases/delivery.ts'
import { hasNoBody, type Passable } from './proxy-results.ts'

/** Longer answers are not kept for repeats. */
const mostKeptBytes = 262_144

/**
 * The same answer, to be passed on. `note` is called once, when all of its body has been handed
 * over or no more will be: because the upstream broke off, or the caller has gone. It also gets the
 * body, if that was short and went over whole.
 */
export function witnessed(
  { method, signal }: Request,
  answer: Passable,
  note: (delivery: Delivery, body: KeptAnswer['body'] | null) => void,
): Passable {
  const { status, headers, body } = answer
  const hasher = new Bun.CryptoHasher('sha256')
  let contentLength = 0
  let isOver = false
  let chunks: Uint8Array[] = []
  function end(delivered: Delivery['delivered']): void {
    if (isOver) return
    isOver = true
    const isKept = delivered === 'whole' && contentLength <= mostKeptBytes
    const delivery = { ...aboutBody(hasher, contentLength), ...aboutHead(answer), delivered }
    note(delivery, isKept ? Buffer.concat(chunks) : null)
  }
  if (body === null || hasNoBody(method, status)) {
    end('whole')
    return answer
  }
  const reader = body.getReader()
  function leave(): Promise<void> {
    end('partial')
    return reader.cancel()
  }
  // A multipart answer cancels what it reads only once something arrives.
  signal.addEventListener('abort', () => void leave().catch(() => {}), { once: true })
  async function pull(controller: ReadableByteStreamController): Promise<void> {
    const { done, value } = await reader.read().catch((error) => {
      end('partial')
      throw error
    })
    if (isOver) return
    if (done) {
      end('whole')
      controller.close()
    } else if (value.length === 0) await pull(controller)
    else {
      hasher.update(value)
      contentLength += value.length
      if (contentLength <= mostKeptBytes) chunks.push(value.slice())
      else chunks = []
      controller.enqueue(value)
    }
  }
  // Of all kinds of streams, `bytes` keeps the least in memory.
  const seen = new ReadableStream<Uint8Array>({ type: 'bytes', pull, cancel: leave })
  return { status, headers, body: seen }
}

/** Nothing of the answer is passed on. */
export function withheld(answer: Passable): Delivery {
  const none = new Bun.CryptoHasher('sha256')
  return { ...aboutBody(none, 0), ...aboutHead(answer), delivered: 'partial' }
}

function aboutBody(hasher: Bun.CryptoHasher, contentLength: number) {
  return { bodySha256: `0x${hasher.digest('hex')}`, contentLength }
}

function aboutHead({ status, headers }: Passable) {
  return { status, contentType: headers.get('content-type') }
}
