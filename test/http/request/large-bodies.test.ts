import { expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const megabyte = 'x'.repeat(1_048_576)

function post(path: string, body: string | ReadableStream): Promise<Response> {
  const headers = { 'x-api-key': app.account.v1Key, 'content-type': 'application/json' }
  return fetch(app.url + path, { method: 'POST', headers, body })
}

/** A body that does not declare its length. */
function chunked(megabytes: number): ReadableStream {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent++ < megabytes) controller.enqueue(megabyte)
      else controller.close()
    },
  })
}

const envelope = {
  code: 'PAYLOAD_TOO_LARGE',
  message: 'The request body is larger than 1 MiB',
  status: 413,
}

test.each([2, 5, 40])(
  '%d MiB are refused in our words, declared or in chunks',
  async (megabytes) => {
    for (const body of [megabyte.repeat(megabytes), chunked(megabytes)]) {
      const response = await post('/v1/invoices', body)
      expect(response.status).toBe(413)
      expect(response.headers.get('x-request-id')).not.toBeNull()
      expect(await response.json()).toEqual({ success: false, error: envelope })
    }
  },
)

test('an unknown path is 404 however large the body', async () => {
  const response = await post('/nowhere', megabyte.repeat(5))
  expect(response.status).toBe(404)
})

test('a body in chunks that is not too long is read', async () => {
  const text = JSON.stringify({
    amount: 1,
    currency: 'USDC',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
  })
  const halves = [text.slice(0, 20), text.slice(20)]
  const body = new ReadableStream({
    async pull(controller) {
      const half = halves.shift()
      if (half === undefined) return controller.close()
      controller.enqueue(new TextEncoder().encode(half))
      await Bun.sleep(20)
    },
  })
  expect((await post('/v1/invoices', body)).status).toBe(201)
})
