import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { YAML } from 'bun'
import { readConfig } from '../../src/config/config.ts'

/** The files in `deploy/` configure what the program reads. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => Bun.file(`${root}deploy/${file}`).text()
const roles = ['http', 'worker'] as const

type Variables = Readonly<Record<string, string>>

/** The values that the example environment leaves empty. */
const secrets = {
  SECRETS_KEY: 'ab'.repeat(32),
  JWT_SECRET: 'x'.repeat(32),
  MANDATE_SIGNING_SECRET: 'x'.repeat(16),
  BASE_WALLET: `0x${'a'.repeat(40)}`,
}

/** Parses `NAME=value` lines as systemd and compose do. */
function variablesIn(lines: string): Variables {
  return Object.fromEntries(
    Array.from(lines.matchAll(/^([A-Z0-9_]+)=(.*)$/gm), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

/** The variables of the example environment once it is filled in. */
async function filledIn(): Promise<Variables> {
  const { POSTGRES_PASSWORD: _, ...given } = variablesIn(await read('quittance.env.example'))
  return { ...given, ...secrets }
}

/** The names among `variables` that the configuration never reads. */
function unread(variables: Variables): readonly string[] {
  const asked = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_, name) => void asked.add(String(name)) },
  )
  readConfig(env)
  return Object.keys(variables).filter((name) => !asked.has(name))
}

test('the example environment has only known variables, and all that are needed', async () => {
  const given = await filledIn()
  expect(Object.keys(given).length).toBeGreaterThan(10)
  expect(unread(given)).toEqual([])
  expect(readConfig(given)).toMatchObject({ isProduction: true, role: 'all' })
})

describe.each(roles)('the unit of the role %s', (role) => {
  test('starts the service in that role, on the instance’s port', async () => {
    const unit = await read(`quittance-${role}@.service`)
    const settings = new Map(
      Array.from(unit.matchAll(/^(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]),
    )
    const own = variablesIn(
      (settings.get('Environment') ?? '').replaceAll(' ', '\n').replaceAll('%i', '9101'),
    )
    expect(unread(own)).toEqual([])
    const config = readConfig({ ...(await filledIn()), ...own })
    const port = role === 'http' ? config.port : config.metricsPort
    expect([config.role, port, config.host]).toEqual([role, 9101, '127.0.0.1'])
    expect(settings.get('ExecStart')).toBe('/opt/quittance/node_modules/.bin/quittance start')
    // Longer than the 15 seconds of a drain.
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(15)
  })

  if (Bun.which('systemd-analyze'))
    test('is verified by systemd, and exposes the machine at most at 3 of 10', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'units-'))
      const file = join(folder, `quittance-${role}@9101.service`)
      const unit = await read(`quittance-${role}@.service`)
      await Bun.write(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
      const analyze = (...words: string[]) => Bun.spawnSync(['systemd-analyze', ...words, file])
      const verified = analyze('verify')
      expect([verified.exitCode, String(verified.stderr)]).toEqual([0, ''])
      const limits = ['--offline=true', '--threshold=30', '--no-pager']
      expect(analyze('security', ...limits).exitCode).toBe(0)
      rmSync(folder, { recursive: true })
    })

  test('has only sections and settings', async () => {
    const odd = (await read(`quittance-${role}@.service`))
      .split('\n')
      .filter((line) => !/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z]\w+=(?:\S.*)?|)$/.test(line))
    expect(odd).toEqual([])
  })
})

type Service = {
  readonly image: string
  readonly env_file?: string
  readonly environment: Variables
  readonly command?: string
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

async function compose(): Promise<Compose> {
  const text = await read('compose.yaml')
  return YAML.parse(text.replace(/\$\{\w+:\?\}/g, 'x')) as Compose
}

describe('the compose file', () => {
  test('has PostgreSQL, Redis and both roles, which wait for them', async () => {
    const { services, volumes } = await compose()
    expect(Object.keys(services).sort()).toEqual(['http', 'postgres', 'redis', 'worker'])
    expect(Object.keys(volumes).sort()).toEqual(['postgres', 'redis'])
    for (const role of roles)
      expect(Object.keys(services[role]?.depends_on ?? {}).sort()).toEqual(['postgres', 'redis'])
  })

  test.each(roles)('configures the role %s with known variables', async (role) => {
    const { services } = await compose()
    const { environment = {}, env_file } = services[role] ?? {}
    expect(env_file).toBe('quittance.env')
    expect(unread(environment)).toEqual([])
    expect(readConfig({ ...(await filledIn()), ...environment })).toMatchObject({
      role,
      isProduction: true,
      metricsPort: 9100,
      redisUrl: 'redis://redis:6379',
      databaseUrl: 'postgres://quittance:x@postgres:5432/quittance',
    })
  })

  test('gives PostgreSQL the connections that all processes may need', async () => {
    const { services } = await compose()
    const [, most = ''] = /max_connections=(\d+)/.exec(services.postgres?.command ?? '') ?? []
    const [, first = '', last = ''] = /:(\d+)-(\d+):/.exec(services.http?.ports?.[0] ?? '') ?? []
    const processes = 2 * (Number(last) - Number(first) + 1)
    expect(Number(most)).toBeGreaterThan(processes * 21 + 50)
  })

  test('supports the command lines shown in the guide', async () => {
    const { services } = await compose()
    const guide = await Bun.file(`${root}docs/operating.md`).text()
    const shown = [
      ...guide.matchAll(
        /^docker compose --env-file (\S+) -f (\S+) (run --rm --no-deps|exec) (\w+) (.*)$/gm,
      ),
    ]
    expect(shown.length).toBe(3)
    for (const [, env, file, how, service = '', said = ''] of shown) {
      // The image's entrypoint is `quittance`.
      const words = how === 'exec' ? said.replace('quittance ', '') : said
      expect([env, file]).toEqual(['deploy/quittance.env', 'deploy/compose.yaml'])
      expect(Object.keys(services)).toContain(service)
      const child = Bun.spawn([process.execPath, 'src/cli.ts', ...words.split(' '), '--help'], {
        cwd: root,
        stdout: 'pipe',
      })
      const [command = ''] = words.split(' --')
      expect(await child.stdout.text()).toContain(`Usage: quittance ${command}`)
    }
  })
})
