import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { blocksOf, printed, startDocumentedReceiver } from '../support/documentation.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** The published package, installed in a project: the programs of its README are run as written. */

const page = 'client/README.md'
const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const [calls = '', receiver = '', mandates = ''] = await blocksOf(page, 'ts')
const secret = 'a-secret-of-ones-own'

const programs = { calls, receiver, mandates }
const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: ['node'],
  noEmit: true,
}

const typed = `
import { createClient } from '@quittance/client'
import { verifyWebhook } from '@quittance/client/webhooks'

const quittance = createClient({ url: 'https://quittance.example', key: 'sk_' })
const body = { amount: '12.50', currency: 'USDC', customerName: 'Ada', customerEmail: 'ada@example.com' }
const made = await quittance.POST('/v1/invoices', { body })
const due: string = made.data.data.paymentDetails.amountDue
// @ts-expect-error A name is needed.
await quittance.POST('/v1/invoices', { body: { amount: 1, currency: 'USDC' } })
// @ts-expect-error There is no such path.
await quittance.GET('/v2/invoices')
// @ts-expect-error The id is missing.
await quittance.GET('/v1/invoices/{id}')
// @ts-expect-error It is no number.
const id: number = (await quittance.GET('/v1/invoices/{id}', { params: { path: { id: 'a' } } })).data.data.id
const total: string | number = (await quittance.GET('/v1/invoices')).data.total
for await (const one of quittance.list('/api/invoices')) { const status: 'draft' | 'sent' | 'paid' | 'settled' | 'completed' | 'failed' = one.status }
// @ts-expect-error This is no list.
quittance.list('/v1/invoices/{id}')
const pdf = await quittance.GET('/api/invoices/{id}/pdf', { params: { path: { id: 'a' } }, parseAs: 'blob' })
const size: number = pdf.data.size
for await (const delivery of quittance.list('/v1/webhooks/{id}/deliveries', { params: { path: { id: 'a' } } })) { const { attempts } = delivery }
// @ts-expect-error The id is missing.
quittance.list('/v1/webhooks/{id}/deliveries')
const params = { query: { url: 'https://api.example.com/' }, header: { 'X-Agent-Id': 'agent-7', 'PAYMENT-SIGNATURE': 'e30=' } }
const bought = await quittance.POST('/api/x402/proxy', { params, body: { question: 'Why?' }, parseAs: 'text' })
const invoiceId: string | null = bought.response.headers.get('X-Invoice-Id')
// @ts-expect-error There is no such header.
await quittance.GET('/api/x402/proxy', { params: { ...params, header: { 'X-Agent': 'agent-7' } } })
await quittance.POST('/api/x402/invoice', { params: { header: { 'X-PAYMENT': 'e30=' } }, body: { amount: '1' } })
const proof = { txHash: '0xab', signature: '0xcd', payer: '0xef' }
await quittance.POST('/api/x402/invoice', { body: { amount: '1', x_payment: proof } })
await quittance.POST('/api/x402/settle', { body: { invoice_id: 'a', x_payment: proof } })
const claim = { params: { path: { id: 'a' } } }
await quittance.POST('/v1/public/invoices/{id}/claim', { ...claim, body: proof })
await quittance.POST('/v1/public/invoices/{id}/claim', { ...claim, body: { x_payment: proof } })
await quittance.POST('/v1/public/invoices/{id}/claim', { ...claim, body: { x_payment: 'e30=' } })
// @ts-expect-error The payer is missing.
await quittance.POST('/v1/public/invoices/{id}/claim', { ...claim, body: { x_payment: { txHash: '0xab', signature: '0xcd' } } })
// @ts-expect-error The signature is missing.
await quittance.POST('/v1/mandates/{id}/sign', { ...claim, body: { signer: 'proposer' } })
const { type } = await verifyWebhook({ body: '', headers: {}, secret: 's' })
// @ts-expect-error There is no such event.
if (type === 'invoice.eaten') throw type
`

const { app } = useWorld()
let project: string
let env: Record<string, string>
let running: { stop(): Promise<void> } | null = null

beforeAll(async () => {
  env = {
    QUITTANCE_URL: app.url,
    QUITTANCE_KEY: app.account.v1Key,
    SIGNING_SECRET: app.account.signingSecret,
  }
  project = await mkdtemp(join(tmpdir(), 'quittance-client-'))
  const modules = join(project, 'node_modules')
  const installed = join(modules, '@quittance/client')
  await $`${process.execPath} pm pack --quiet --destination ${project}`.cwd(`${root}client`).quiet()
  const [archive = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'))
  await $`mkdir -p ${installed} && tar -xzf ${join(project, archive)} -C ${installed} --strip-components 1`
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await symlink(`${root}node_modules/${name}`, join(modules, name))
  await $`mkdir ${join(modules, '@types')}`
  await symlink(`${root}node_modules/@types/node`, join(modules, '@types/node'))
  await Bun.write(join(project, 'package.json'), '{"type":"module"}')
})

afterEach(async () => {
  await running?.stop()
  running = null
})

afterAll(async () => {
  await rm(project, { recursive: true })
})

const runtimes = [
  ['Bun', [process.execPath, '-']],
  ['Node (skipped where there is none)', [Bun.which('node') ?? '', '--input-type=module', '-']],
] as const

test('the package contains only code, types, README and licence', async () => {
  const files = await readdir(join(project, 'node_modules/@quittance/client'))
  expect(files.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
})

describe.each([false, true])('with exactOptionalPropertyTypes %p', (exactOptionalPropertyTypes) => {
  const options = { ...compilerOptions, exactOptionalPropertyTypes }

  test('its types check the requests and answers of a strict project', async () => {
    expect(await complaintsOf({ typed }, options)).toBe('')
  })

  test('the programs of its README type-check', async () => {
    expect(await complaintsOf(programs, options)).toBe('')
  })
})

describe.each(runtimes)('on %s', (_, command) => {
  const skipped = command[0] === ''

  test.skipIf(skipped)('a program creates, reads and lists invoices, and is refused', async () => {
    const output = await printed(command, calls, env, project)
    expect(output.split('\n')).toEqual(
      expect.arrayContaining([
        'due 12.50',
        'status PENDING',
        'document application/pdf',
        'pending 1',
        'refused 404 NOT_FOUND',
      ]),
    )
  })

  test.skipIf(skipped)('a program signs a mandate for both parties', async () => {
    const output = await printed(command, mandates, env, project)
    expect(output).toMatch(/^\{"counterparty_agent_id":"agent-8".*\}\nsigned_by_both true\n$/)
  })

  test.skipIf(skipped)(
    'a receiver accepts what the service delivers, and nothing forged',
    async () => {
      const started = await startDocumentedReceiver(command, receiver, secret, project)
      running = started
      const { url, heard } = started
      const { json } = await app.send('POST', '/v1/webhooks', {
        url,
        events: ['invoice.settled'],
        secret,
      })
      await app.send('POST', `/v1/webhooks/${json.data.id}/test`, { event: 'invoice.settled' })
      await eventually(() => heard.text.endsWith('\n'))
      expect(heard.text).toMatch(/^[0-9a-f-]{36} invoice\.settled\n$/)
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    },
  )
})

/** What the compiler says of programs in the project, each under its name. */
async function complaintsOf(
  texts: Readonly<Record<string, string>>,
  compilerOptions: object,
): Promise<string> {
  const files = Object.keys(texts).map((name) => `${name}.ts`)
  for (const [name, text] of Object.entries(texts))
    await Bun.write(join(project, `${name}.ts`), text)
  await Bun.write(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { stdout } = await $`${root}node_modules/.bin/tsc -p ${project}`.quiet().nothrow()
  return stdout.toString()
}
