import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { testEnv } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'

/**
 * The image's root, made by the steps of the Dockerfile in a folder, and run as the image's user
 * where nothing at all can be written. Skipped where no file systems can be mounted.
 */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const lines = (await Bun.file(`${root}Dockerfile`).text()).split('\n')
const canMount =
  Bun.which('unshare') !== null &&
  Bun.spawnSync(['unshare', '-m', 'mount', '--make-rprivate', '/']).success

type Stage = {
  readonly name: string
  readonly root: string
  folder: string
  env: Record<string, string>
}

let place: string
let image: Stage
let database: TestDatabase
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'quittance-image-'))
  chmodSync(place, 0o755)
  if (!canMount) return
  image = await imageRoot()
  database = await testDatabase()
}, 900_000)
afterAll(async () => {
  await database?.drop()
  rmSync(place, { recursive: true })
})

const instruction = (name: string) =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

test('the image runs as a user other than root, by number', () => {
  expect(instruction('USER')).toEqual(['1000:1000'])
})

test.skipIf(!canMount)('it starts, is healthy and stops where nothing can be written', async () => {
  const [port, metrics] = [freePort(), freePort()]
  const env = { ...testEnv(database.url), PORT: `${port}`, METRICS_PORT: `${metrics}` }
  const service = inImage(image, env, ...JSON.parse(instruction('CMD').at(-1) ?? ''))
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok ?? false,
    30_000,
  )
  const page = await (await fetch(`http://127.0.0.1:${port}/dashboard`)).text()
  const [script = ''] = /\/\S+main-\w+\.js/.exec(page) ?? []
  expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200)
  const [, ask = ''] = (instruction('HEALTHCHECK')[0] ?? '').split(' CMD ')
  expect(await inImage(image, env, ...JSON.parse(ask)).exited).toBe(0)
  const created = inImage(image, env, ...['account', 'create', '--name', 'Example', '--json'])
  expect(await created.stdout.json()).toMatchObject({ account: { name: 'Example' } })
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  const gone = [image, env, ...JSON.parse(ask)] as const
  expect(await inImage(...gone).exited).not.toBe(0)
})

/** Answers the last stage. */
async function imageRoot(): Promise<Stage> {
  const stages: Stage[] = []
  for (const line of lines) {
    const [word = '', ...rest] = line.split(' ')
    const stage = stages.at(-1) as Stage
    if (word === 'FROM') {
      const folder = join(place, `${stages.length}`)
      mkdirSync(folder)
      stages.push({ name: rest[2] ?? '', root: folder, folder, env: {} })
    } else if (word === 'WORKDIR') {
      stage.folder = join(stage.root, rest[0] ?? '')
      mkdirSync(stage.folder, { recursive: true })
    } else if (word === 'COPY') copy(stages, rest)
    else if (word === 'RUN') await run(stage, rest)
    else if (word === 'ENV')
      stage.env = Object.fromEntries(rest.map((pair) => pair.split('=') as [string, string]))
  }
  return stages.at(-1) as Stage
}

function copy(stages: readonly Stage[], words: readonly string[]): void {
  const to = stages.at(-1) as Stage
  const flag = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1]
  const from = stages.find(({ name }) => name === flag('from'))?.root ?? root
  const names = words.filter((word) => !word.startsWith('--'))
  const target = names.pop() ?? ''
  for (const name of names) {
    const isInto = target.endsWith('/') || names.length > 1
    const path = join(to.folder, target, isInto ? basename(name) : '')
    cpSync(join(from, name), path, {
      recursive: true,
      filter: (file) => from !== root || isContext(file),
    })
    const mode = flag('chmod')
    if (mode) chmodSync(path, Number.parseInt(mode, 8))
  }
}

const ignored = (await Bun.file(`${root}.dockerignore`).text())
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((pattern) => new Bun.Glob(pattern))

function isContext(file: string): boolean {
  const path = file.slice(root.length)
  return !ignored.some((pattern) => pattern.match(path))
}

async function run({ folder }: Stage, words: readonly string[]): Promise<void> {
  const child = Bun.spawn(['sh', '-euc', words.join(' ')], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`RUN ${words.join(' ')} failed`)
}

/** The rest of a system is this machine's, mounted like the root so that nobody can write. */
function inImage(stage: Stage, env: Readonly<Record<string, string>>, ...words: string[]) {
  const [entry = ''] = JSON.parse(instruction('ENTRYPOINT')[0] ?? '') as string[]
  const command = words[0] === 'bun' ? words : [entry, ...words]
  const bun = join(stage.root, 'base/bun')
  if (!existsSync(bun)) cpSync(process.execPath, bun, { dereference: true })
  const script = `
    mount --make-rprivate /
    mkdir -p "$IMAGE/tmp"
    mount --bind "$IMAGE" "$IMAGE"
    for part in usr bin lib lib64 etc proc dev; do
      [ ! -e /$part ] || { mkdir -p "$IMAGE/$part"; mount --rbind /$part "$IMAGE/$part"; }
    done
    cut -d ' ' -f 2 /proc/mounts | while read -r point; do mount -o remount,bind,ro "$point" 2>/dev/null || true; done
    cd "$IMAGE"
    exec chroot --userspec=${instruction('USER')[0]} "$IMAGE" env -i -C ${stage.folder.slice(stage.root.length)} "$@"`
  const path = (stage.env.PATH ?? '').replace('$PATH', '/base:/usr/bin:/bin')
  const pairs = Object.entries({ ...stage.env, PATH: path, HOME: '/nonexistent', ...env })
  const args = pairs.map(([name, value]) => `${name}=${value}`)
  return Bun.spawn(['unshare', '-m', 'sh', '-euc', script, 'sh', ...args, ...command], {
    env: { PATH: process.env.PATH ?? '', IMAGE: stage.root },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
}
