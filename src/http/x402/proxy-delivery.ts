import type { Delivery } from '../../domain/purchases/delivery.ts'
import { hasNoBody, type Passable } from './proxy-results.ts'

/**
 * The same answer, to be passed on. `note` is called once, when all of its body has been handed
 * over or no more will be: because the upstream broke off, or the caller has gone.
 */
export function witnessed(
  { method, signal }: Request,
  answer: Passable,
  note: (delivery: Delivery) => void,
): Passable {
  const { status, headers, body } = answer
  const hasher = new Bun.CryptoHasher('sha256')
  let contentLength = 0
  let isOver = false
  function end(delivered: Delivery['delivered']): void {
    if (isOver) return
    isOver = true
    note({ ...aboutBody(hasher, contentLength), ...aboutHead(answer), delivered })
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
