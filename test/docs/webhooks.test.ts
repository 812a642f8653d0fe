import { afterEach, describe, expect, test } from 'bun:test'
import { sampleData } from '../../src/domain/webhooks/event-samples.ts'
import { types } from '../../src/domain/webhooks/events.ts'
import {
  blocksOf,
  printed,
  shellOf,
  startDocumentedReceiver,
  workingPython,
} from '../support/documentation.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** The receivers and commands of docs/webhooks.md, run as written against the service. */

const page = 'docs/webhooks.md'
const python = await workingPython()

const { app } = useWorld()
let running: { stop(): Promise<void> } | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

test.each(types)('the table of events lists the members of the data of %s', async (type) => {
  const text = await Bun.file(new URL(`../../${page}`, import.meta.url)).text()
  const row = text.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? ''
  const [, , , data = ''] = row.split('|')
  if (type === 'invoice.created') return expect(data).toContain('the whole invoice')
  if (type.startsWith('mandate.')) return expect(data).toContain('the mandate')
  // What a member holds is said after it, in brackets or behind a colon.
  const told = Array.from(data.replace(/\(.*?\)|:.*/g, '').matchAll(/`(\w+)`/g), ([, name]) => name)
  const sample = JSON.parse(sampleData(type, 'inv', 'v1', new Date()))
  expect(told).toEqual(Object.keys(sample))
})

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
      'accepts what the service delivers under %s, and nothing forged',
      async (secret) => {
        const [text = ''] = await blocksOf(page, language)
        const receiver = await startDocumentedReceiver([program ?? '', '-'], text, secret)
        running = receiver
        const { url, heard } = receiver
        const output = await printed(['sh', '-eu'], await shellOf(page), {
          QUITTANCE_URL: app.url,
          QUITTANCE_KEY: app.account.v1Key,
          WEBHOOK_URL: url,
          WEBHOOK_SECRET: secret,
        })
        expect(output).toContain('"previousSecretUntil"')
        await eventually(() => heard.text.endsWith('\n'))
        expect(heard.text).toMatch(/^[0-9a-f-]{36} invoice\.settled\n$/)
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
