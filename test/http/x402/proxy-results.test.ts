import { expect, test } from 'bun:test'
import { createRenderer, startThread } from '../../../src/documents/render.ts'
import { inTwoParts, passed } from '../../../src/http/x402/proxy-results.ts'
import { after } from '../../support/invoice.ts'

test('a resource without its PDF is still the resource: a failure to render fails nobody', async () => {
  const documents = createRenderer({ mostWaiting: 0, deadlineMs: 1_000, startThread })
  const warnings: object[] = []
  const log = { warn: (line: object) => void warnings.push(line) }
  const response = new Response('the report', { headers: { 'content-type': 'text/plain' } })
  const invoice = after([])
  const answer = inTwoParts(passed(response), response.body!, invoice, { documents, log })
  const text = await new Response(answer.body).text()
  const [, boundary] = /boundary=(.+)$/.exec(answer.headers?.['content-type'] ?? '') ?? []
  expect(text).toBe(
    `\r\n--${boundary}\r\ncontent-type: text/plain\r\ncontent-disposition: attachment; name="resource"\r\n\r\nthe report\r\n--${boundary}--\r\n`,
  )
  expect(warnings).toHaveLength(1)
})
