import { expect, test } from 'bun:test'
import { createLog } from '../src/log.ts'

const canaries = [
  `inv_${'a1'.repeat(32)}`,
  `sk_${'b2'.repeat(32)}`,
  'whsec_Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5',
  'hunter2',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
] as const

test('no secret ever reaches a line, wherever in it the secret sits', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const [apiKey, v1Key, webhookSecret, password, jwt] = canaries
  log.info({ apiKey: password, nested: { api_key: password, list: [apiKey] } }, `key ${v1Key}`)
  log.warn({ err: new Error(`postgres://user:${password}@db/x failed for ${apiKey}`) }, 'failed')
  log.error(
    { headers: { authorization: `Bearer ${jwt}` }, text: `Bearer ${jwt} and ${webhookSecret}` },
    'refused',
  )
  const all = lines.join('')
  expect(lines.length).toBe(3)
  for (const canary of canaries) expect(all).not.toContain(canary)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', msg: 'key [redacted]' })
})

test('lines keep what is not secret: ids, bigints, dates', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.info({ invoiceId: '0190a000', usdcBase: 5n, at: new Date(0) }, 'settled')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    invoiceId: '0190a000',
    usdcBase: '5',
    at: '1970-01-01T00:00:00.000Z',
  })
})
