import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf, printed, shellOf } from '../support/documentation.ts'
import { eventually } from '../support/wait.ts'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
/** Mostly the time of waiting for blocks. */
const limitMs = 180_000

/** What an operator's shell may hold: a database that is not the demo's. */
const elsewhere = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:1/elsewhere',
  SECRETS_KEY: 'cd'.repeat(32),
  JWT_SECRET: 'cd'.repeat(32),
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return Bun.spawn([process.execPath, '--no-orphans', 'demo/main.ts', ...args], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, ...elsewhere, ...env },
  })
}

async function demo(...args: string[]) {
  const child = start(args)
  const [text, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, lines: text.split('\n'), complaint }
}

test(
  'on Solana goes from an invoice to a verified receipt, by the memo of a payment',
  async () => {
    const { code, lines, complaint } = await demo('--chain', 'solana')
    expect(complaint).toBe('')
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain('settles the invoice by itself: matched by reference')
    // Nothing of it runs any more.
    expect(lines.join('\n')).not.toContain('http://')
    expect(lines.filter((line) => line.startsWith('ok '))).toHaveLength(12)
  },
  limitMs,
)

test(
  'on all chains settles five invoices, one line each',
  async () => {
    const { code, lines, complaint } = await demo('--chain', 'all')
    expect(complaint).toBe('')
    expect(code).toBe(0)
    const settled = lines.filter((line) => line.endsWith('▸ verified'))
    expect(lines.join('\n')).toContain('npm run demo -- --keep')
    expect(settled.map((line) => line.split(/\s+/)[3]).toSorted()).toEqual([
      ...['arbitrum', 'base', 'polygon', 'skale', 'solana'],
    ])
  },
  limitMs,
)

test(
  'kept running on Base, it tells what the quickstart and the example for agents run on, and ends in order',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
    const kept = start(['--keep'], { TMPDIR: folder })
    let said = ''
    for await (const chunk of kept.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk
      if (/export RPC_URL=.*\n/.test(said)) break
    }
    // The folder is private: as root, the database is elsewhere, where its user reaches it.
    const [, dataDir = ''] = /^ {2}data +(\S+)$/m.exec(said) ?? []
    const database = realpathSync(join(dataDir, 'postgres'))
    try {
      const env = Object.fromEntries(
        Array.from(said.matchAll(/^ {2}export (\w+)=(\S+)$/gm), ([, name, value]) => [name, value]),
      )
      const page = 'docs/quickstart-agent.md'
      await printed(['sh', '-eu'], await shellOf(page), env)
      const [program = ''] = await blocksOf(page, 'ts')
      expect(await printed([process.execPath, '-'], program, env)).toMatch(/^invoice \S+\n$/)
      const example = await printed([process.execPath, 'examples/agent.ts'], '', env)
      expect(example).toEndWith('dispute disputed\n')
    } finally {
      kept.kill('SIGINT')
    }
    expect(await kept.exited).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect(existsSync(database)).toBe(false)
    rmSync(folder, { recursive: true, force: true })
  },
  limitMs,
)

test.each([
  ['its nodes', ['--chain', 'all'], (_, folder) => readdirSync(folder).length === 5],
  ['the service', [], (said) => /Deploy the anchor contract.* s /.test(Bun.stripANSI(said))],
] satisfies [string, string[], (said: string, folder: string) => boolean][])(
  'interrupted on a terminal, at the start of %s, it ends what it has started and leaves nothing behind',
  async (_, args, isTime) => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
    try {
      let said = ''
      const child = Bun.spawn([process.execPath, '--no-orphans', 'demo/main.ts', ...args], {
        cwd: root,
        env: { ...process.env, ...elsewhere, TMPDIR: folder },
        terminal: {
          cols: 100,
          rows: 40,
          data: (_, chunk) => {
            said += new TextDecoder().decode(chunk)
          },
        },
      })
      await eventually(() => isTime(said, folder), limitMs)
      child.terminal?.write('\u0003')
      expect(await child.exited).toBe(130)
      expect(said).toEndWith('Interrupted; what it had started has ended.\r\n\u001b[?25h')
      expect(said).not.toMatch(/✖|ECONN/)
      expect(readdirSync(folder)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  limitMs,
)

const usage = 'npm run demo -- [--chain base|polygon|arbitrum|solana|skale|all] [--keep]\n'

test('names the chains it knows when asked for another one', async () => {
  const { code, complaint } = await demo('--chain', 'dogecoin')
  expect(code).toBe(2)
  expect(complaint).toBe(
    `--chain is one of base, polygon, arbitrum, solana, skale or all\n${usage}`,
  )
})

test('says what is wrong with an option that it does not know', async () => {
  const { code, complaint } = await demo('--kep')
  expect(code).toBe(2)
  expect(complaint).toMatch(/^Unknown option '--kep'.*\nnpm run demo -- .+\n$/)
})

test('says what its options are', async () => {
  const { code, lines } = await demo('--help')
  expect([code, lines.join('\n')]).toEqual([0, usage])
})
