import { expect, test } from 'bun:test'
import { unavailable } from '../../src/storage/postgres/db.ts'
import { createLog } from '../../src/telemetry/log.ts'

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

test('of an error only type, message, stack and code are told: not the command a client hangs on it', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const command = { name: 'hello', args: ['3', 'AUTH', 'default', 'hunter2'] }
  const refused = Object.assign(new TypeError('WRONGPASS'), { command, code: 'EAUTH' })
  log.warn({ err: refused }, 'refused')
  log.warn(refused, 'refused')
  log.warn({ err: new Error('down', { cause: refused }), nested: [refused] }, 'refused')
  const all = lines.join('')
  expect(all).not.toContain('hunter2')
  expect(all).not.toContain('command')
  const { err } = JSON.parse(lines[0] ?? '')
  expect(err).toEqual({
    type: 'TypeError',
    message: 'WRONGPASS',
    stack: expect.stringContaining('log.test.ts'),
    code: 'EAUTH',
  })
  expect(JSON.parse(lines[1] ?? '').err).toEqual(err)
  expect(JSON.parse(lines[2] ?? '').err).toMatchObject({
    type: 'Error',
    message: 'down: WRONGPASS',
  })
})

test('of a refusal the log tells what operators are told', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.warn({ err: unavailable('no answer in 6000 ms') }, 'failed')
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
    reason: 'unavailable',
    operatorText: 'postgres: no answer in 6000 ms',
  })
})

test('a password in a URL is removed, with a user name before it or without', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.info({ url: 'redis://:hunter2@x', other: 'redis://user:hunter2@x' }, 'redis://:hunter2@x')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    url: 'redis://[redacted]@x',
    other: 'redis://[redacted]@x',
    msg: 'redis://[redacted]@x',
  })
})

test('what lies too deep to be looked through is not told', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const buried = { a: { b: { c: { d: { e: { f: { g: { h: canaries[0] } } } } } } } }
  log.info({ buried }, 'deep')
  expect(lines.join('')).not.toContain(canaries[0])
})

test('a line that cannot be written fails nobody who logs, however many there are', async () => {
  const logging = `
    import { createLog } from './src/telemetry/log.ts'
    const log = createLog('info')
    for (let n = 0; n < 2_000; n++) log.info({ text: 'x'.repeat(1_000) }, 'told')
    process.stderr.write('went on')`
  const child = Bun.spawn(['sh', '-c', '"$0" -e "$1" > /dev/full', process.execPath, logging], {
    cwd: `${import.meta.dir}/../..`,
    stderr: 'pipe',
  })
  expect(await new Response(child.stderr).text()).toBe('went on')
  expect(await child.exited).toBe(0)
})
