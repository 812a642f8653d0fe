import { afterEach, describe, expect, test } from 'bun:test'
import { sampleData } from '../../src/domain/webhooks/event-samples.ts'
import { types } from '../../src/domain/webhooks/events.ts'
import { blocksOf, printed, shellOf, workingPython } from '../support/documentation.ts'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** The receivers and commands of docs/webhooks.md, run as written against the service. */

const page = 'docs/webhooks.md'
const python = await workingPython()

const { app } = useWorld()
let child: Bun.Subprocess | null = null

afterEach(async () => {
  child?.kill()
  await child?.exited
  child = null
})

test.each(types)(
  'the table of events says what is in the data of %s, and no more',
  async (type) => {
    const text = await Bun.file(new URL(`../../${page}`, import.meta.url)).text()
    const row = text.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? ''
    const [, , , data = ''] = row.split('|')
    if (type === 'invoice.created') return expect(data).toContain('the whole invoice')
    if (type.startsWith('mandate.')) return expect(data).toContain('the mandate')
    // What a member holds is said after it, in brackets or behind a colon.
    const told = Array.from(
      data.replace(/\(.*?\)|:.*/g, '').matchAll(/`(\w+)`/g),
      ([, name]) => name,
    )
    const sample = JSON.parse(sampleData(type, 'inv', 'v1', new Date()))
    expect(told).toEqual(Object.keys(sample))
  },
)

/** Starts the page's receiver in `language`. Answers its address and what it has printed so far. */
async function start(language: 'ts' | 'python', program: string, secret: string) {
  const [text = ''] = await blocksOf(page, language)
  const port = freePort()
  const receiver = Bun.spawn([program, '-'], {
    env: { PATH: process.env.PATH ?? '', PORT: `${port}`, WEBHOOK_SECRET: secret },
    stdin: new TextEncoder().encode(text),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  child = receiver
  const heard = { text: '' }
  void (async () => {
    for await (const text of receiver.stdout.pipeThrough(new TextDecoderStream()))
      heard.text += text
  })()
  const url = `http://127.0.0.1:${port}/`
  await eventually(
    async () => (await fetch(url, { method: 'POST' }).catch(() => null)) !== null,
    20_000,
  )
  return { url, heard }
}

const receivers = [
  { name: 'TypeScript', language: 'ts', program: process.execPath },
  { name: 'Python (skipped where there is no python3)', language: 'python', program: python },
] as const

const secrets = [
  'a-secret-of-ones-own',
  'text/that/could/be/base64+',
  `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`,
]

for (const { name, language, program } of receivers)
  describe.skipIf(program === null)(`the receiver in ${name}`, () => {
    test.each(secrets)(
      'takes what the service delivers under %s, and nothing forged',
      async (secret) => {
        const { url, heard } = await start(language, program ?? '', secret)
        const output = await printed(['sh', '-eu'], await shellOf(page), {
          QUITTANCE_URL: app.url,
          QUITTANCE_KEY: app.account.v1Key,
          WEBHOOK_URL: url,
          WEBHOOK_SECRET: secret,
        })
        expect(output).toContain('"previousSecretUntil"')
        await eventually(() => heard.text.endsWith('\n'), 20_000)
        expect(heard.text).toMatch(/^evt_[0-9a-f-]{36} invoice\.settled\n$/)
        const forged = await fetch(url, {
          method: 'POST',
          headers: {
            'webhook-id': 'evt_1',
            'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}`,
            'webhook-signature': 'v1,AAAA',
          },
          body: '{"type":"invoice.settled"}',
        })
        expect(forged.status).toBe(401)
      },
    )
  })
