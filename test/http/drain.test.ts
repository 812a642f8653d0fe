import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type TestApp, testApp } from '../support/app.ts'
import { eventually } from '../support/wait.ts'

let app: TestApp
let draining: Promise<void> | undefined

beforeAll(async () => {
  app = await testApp({ ROLE: 'http', METRICS_PORT: '0' })
})
afterAll(() => draining)

const headers = () => `HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${app.account.v1Key}\r\n\r\n`

/** A connection on which one request can be sent after the other. */
async function openConnection() {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let hasEnded = false
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('close', () => {
    hasEnded = true
  })
  socket.on('error', () => {})
  await new Promise<void>((connected) => socket.once('connect', connected))
  return {
    send: (bytes: string) => void socket.write(bytes),
    /**
     * Sends this and the headers. Answers the status and the `Connection` header; null where the
     * connection ended first.
     */
    async ask(line: string) {
      text = ''
      socket.write(`${line} ${headers()}`)
      await eventually(() => text.includes('\r\n\r\n') || hasEnded)
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      const connection = /^connection: (.*)\r$/im.exec(text)?.[1]
      return status === undefined ? null : [Number(status), connection]
    },
    hasEnded: () => hasEnded,
  }
}

test('a request on its way when the drain begins is answered, and its connection then closed', async () => {
  const asked = [
    ['GET', '/v1/invoices', 200],
    ['HEAD', '/v1/invoices', 200],
    ['GET', '/v1/nothing', 404],
    ['DELETE', '/v1/invoices', 405],
    ['GET', '/docs', 200],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 503],
  ] as const
  const connections = await Promise.all(asked.map(openConnection))
  const [idle, slow] = await Promise.all([openConnection(), openConnection()])
  for (const connection of [idle, slow, ...connections])
    expect(await connection.ask('GET /healthz')).toEqual([200, undefined])
  slow.send('GET /v1/inv')
  draining = app.stop()
  // A process that is held up hears of no request, and must not take that for quiet.
  Bun.sleepSync(200)
  await Bun.sleep(15)
  const answers = await Promise.all(
    asked.map(([method, path], n) => connections[n]?.ask(`${method} ${path}`)),
  )
  expect(answers).toEqual(asked.map(([, , status]) => [status, 'close']))
  await eventually(() => [idle, ...connections].every(({ hasEnded }) => hasEnded()))
  const readiness = await fetch(`${app.app.metricsUrl}/readyz`)
  expect([readiness.status, await readiness.json()]).toEqual([
    503,
    expect.objectContaining({ problems: ['the process is stopping'] }),
  ])
  expect((await slow.ask('oices'))?.[0]).toBe(200)
  await draining
  await eventually(slow.hasEnded)
})

test('a connection that was opened in advance and never used does not make a drain long', async () => {
  const other = await testApp({ ROLE: 'http' })
  const { hostname, port } = new URL(other.url)
  const unused = connect(Number(port), hostname)
  unused.on('error', () => {})
  await new Promise<void>((connected) => unused.once('connect', connected))
  // Linux shows the process a connection without data only after a while.
  await Bun.sleep(1_500)
  const begunMs = performance.now()
  await other.stop()
  expect(performance.now() - begunMs).toBeLessThan(6_000)
  unused.destroy()
})
