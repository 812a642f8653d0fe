import { expect, test } from 'bun:test'
import { unavailable } from '../../src/storage/postgres/db.ts'
import { createLog, type Log } from '../../src/telemetry/log.ts'

const canaries = [
  `inv_${'a1'.repeat(32)}`,
  `sk_${'b2'.repeat(32)}`,
  'whsec_Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5',
  'hunter2',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
] as const

/** The lines that `write` logs. */
function linesOf(write: (log: Log) => void): readonly string[] {
  const lines: string[] = []
  write(createLog('info', { write: (line: string) => void lines.push(line) }))
  return lines
}

test('no secret reaches a line, wherever it stands', () => {
  const [apiKey, v1Key, webhookSecret, password, jwt] = canaries
  const lines = linesOf((log) => {
    log.info({ apiKey: password, nested: { api_key: password, list: [apiKey] } }, `key ${v1Key}`)
    log.warn({ err: new Error(`postgres://user:${password}@db/x failed for ${apiKey}`) }, 'failed')
    log.error(
      { headers: { authorization: `Bearer ${jwt}` }, text: `Bearer ${jwt} and ${webhookSecret}` },
      'refused',
    )
    log.info({ a: { b: { c: { d: { e: { f: { g: { h: apiKey } } } } } } } }, 'too deep')
  })
  expect(lines.length).toBe(4)
  for (const canary of canaries) expect(lines.join('')).not.toContain(canary)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', msg: 'key [redacted]' })
})

test('ids, bigints, dates and the rest of a URL stay in the line', () => {
  const [line = ''] = linesOf((log) =>
    log.info(
      {
        invoiceId: '0190a000',
        usdcBase: 5n,
        at: new Date(0),
        url: 'redis://:hunter2@x',
        other: 'redis://user:hunter2@x',
      },
      'redis://:hunter2@x',
    ),
  )
  expect(JSON.parse(line)).toMatchObject({
    invoiceId: '0190a000',
    usdcBase: '5',
    at: '1970-01-01T00:00:00.000Z',
    url: 'redis://[redacted]@x',
    other: 'redis://[redacted]@x',
    msg: 'redis://[redacted]@x',
  })
})

test('an error is logged without the members that a client attaches, such as its command', () => {
  const command = { name: 'hello', args: ['3', 'AUTH', 'default', 'hunter2'] }
  const refused = Object.assign(new TypeError('WRONGPASS'), { command, code: 'EAUTH' })
  const lines = linesOf((log) => {
    log.warn({ err: refused }, 'refused')
    log.warn(refused, 'refused')
    log.warn({ err: new Error('down', { cause: refused }), nested: [refused] }, 'refused')
  })
  expect(lines.join('')).not.toMatch(/hunter2|command/)
  const [plain, bare, wrapped] = lines.map((line) => JSON.parse(line).err)
  expect(plain).toEqual({
    type: 'TypeError',
    message: 'WRONGPASS',
    stack: expect.stringContaining('log.test.ts'),
    code: 'EAUTH',
  })
  expect(bare).toEqual(plain)
  expect(wrapped).toMatchObject({ type: 'Error', message: 'down: WRONGPASS' })
})

test('a refusal is logged with its text for operators', () => {
  const [line = ''] = linesOf((log) => log.warn({ err: unavailable('no answer in 6000 ms') }, ''))
  expect(JSON.parse(line).err).toMatchObject({
    reason: 'unavailable',
    operatorText: 'postgres: no answer in 6000 ms',
  })
})

test('callers never fail because a line cannot be written', async () => {
  const logging = `
    import { createLog, type Log } from './src/telemetry/log.ts'
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
