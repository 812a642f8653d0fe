import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

/** What a new operator sees; everything is generated and embedded. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const limitMs = 60_000

async function atTerminal(env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env
  let said = ''
  const child = Bun.spawn([process.execPath, '--no-orphans', 'src/main.ts'], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', HOST: '127.0.0.1', ...env },
    terminal: {
      cols: 110,
      rows: 40,
      data: (_, chunk) => {
        said += new TextDecoder().decode(chunk)
      },
    },
  })
  await eventually(() => said.includes('Ctrl-C ends the service'), limitMs)
  child.terminal?.write('\u0003')
  expect(await child.exited).toBe(0)
  return Bun.stripANSI(said).replaceAll('\r', '')
}

test(
  'the first start in a terminal says who is paid, what is missing and what comes next, without JSON lines',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
    const dataDir = join(folder, 'data')
    try {
      const said = await atTerminal({ DATA_DIR: dataDir })
      for (const part of [
        /ready at http:\/\/localhost:\d+\n/,
        /paid to {4}0x[\da-f]{40} on base, polygon, arbitrum, skale\n/i,
        `their private keys are in ${join(dataDir, 'secrets.json')}`,
        'not watched: base',
        'receipts are not anchored',
        'quittance -- account create --name',
        /\] INFO: stopped\n$/,
      ])
        expect(said).toMatch(part)
      expect(said).not.toMatch(/^\{/m)
      const service = await startService({ DATA_DIR: dataDir, LOG_LEVEL: 'info' })
      expect(service.lines.map(({ msg }) => msg)).toContain('ready')
      await service.stop()
    } finally {
      // As root, the database is elsewhere, where its user reaches it.
      const database = join(dataDir, 'postgres')
      if (existsSync(database)) rmSync(realpathSync(database), { recursive: true })
      rmSync(folder, { recursive: true, force: true })
    }
  },
  limitMs,
)
