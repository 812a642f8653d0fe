import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  cpSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A checkout without packages, whose installation has something to do and is done at once. */
let checkout: string
let lock: string

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'quittance-test-'))
  lock = join(checkout, '.bun/lock')
  for (const folder of ['bin', '.bun', 'node_modules']) mkdirSync(join(checkout, folder))
  cpSync(new URL('../../bin/bun', import.meta.url), join(checkout, 'bin/bun'))
  writeFileSync(join(checkout, 'package.json'), '{"private":true}')
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

const atOnce = { INSTALLS: '0', REMOVES: '0' }

function start(programs = join(process.execPath, '..'), env = atOnce) {
  return Bun.spawn(['sh', 'bin/bun', '--version'], {
    cwd: checkout,
    env: { ...process.env, ...env, PATH: `${programs}:${process.env.PATH}` },
    stderr: 'pipe',
  })
}

/**
 * A folder with a `bun` that only counts its installations, and an `rm`, which take as many seconds
 * as `INSTALLS` and `REMOVES` say.
 */
function slowPrograms(): string {
  const folder = join(checkout, 'programs')
  mkdirSync(folder)
  const programs = {
    bun: '[ "$1" != install ] || { echo one >>installations; sleep $INSTALLS; }\necho 1.4.5',
    rm: 'sleep $REMOVES\nexec /bin/rm "$@"',
  }
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return folder
}

function installations(): number {
  return readFileSync(join(checkout, 'installations'), 'utf8').split('\n').length - 1
}

async function outcome(child: ReturnType<typeof start>) {
  const [version, said] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, version: version.trim(), said }
}

describe('a lock that an installation has left behind', () => {
  test('is taken over once its holder is gone', async () => {
    const gone = Bun.spawn(['true'])
    await gone.exited
    symlinkSync(`${gone.pid}`, lock)
    expect(await outcome(start())).toMatchObject({ code: 0, version: Bun.version })
  })

  test('is taken over by one of two who find it at the same time', async () => {
    const gone = Bun.spawn(['true'])
    await gone.exited
    symlinkSync(`${gone.pid}`, lock)
    const programs = slowPrograms()
    // The second is about to remove the lock while the first already installs.
    const both = ['0.2', '0.4'].map((REMOVES) =>
      outcome(start(programs, { INSTALLS: '0.4', REMOVES })),
    )
    expect((await Promise.all(both)).map(({ code }) => code)).toEqual([0, 0])
    expect(installations()).toBe(1)
  })

  test('is taken over when it is old, whoever has the pid by now', async () => {
    symlinkSync(`${process.pid}`, lock)
    const longAgo = Date.now() / 1_000 - 20 * 60
    lutimesSync(lock, longAgo, longAgo)
    expect(await outcome(start())).toMatchObject({ code: 0, version: Bun.version })
  })

  test('is taken over as well where somebody was killed while taking it over', async () => {
    const gone = Bun.spawn(['true'])
    await gone.exited
    for (const link of [lock, `${lock}.clearing`]) symlinkSync(`${gone.pid}`, link)
    // It counts for a minute, longer than what cannot be locked is tried for.
    const almostAMinuteAgo = Date.now() / 1_000 - 56
    lutimesSync(`${lock}.clearing`, almostAMinuteAgo, almostAMinuteAgo)
    expect(await outcome(start())).toMatchObject({ code: 0, version: Bun.version })
  })

  test('that is none is not waited for', async () => {
    writeFileSync(lock, '')
    const { code, said } = await outcome(start())
    expect(code).toBe(1)
    expect(said).toContain(`Cannot lock ${join(checkout, '.bun')}`)
  })

  test('is waited for while its holder lives, which is told', async () => {
    symlinkSync(`${process.pid}`, lock)
    const child = start()
    const [first, rest] = child.stderr.tee()
    void rest.pipeTo(new WritableStream())
    const { value } = await first.getReader().read()
    expect(new TextDecoder().decode(value)).toContain(`installation (pid ${process.pid};`)
    expect(child.exitCode).toBeNull()
    rmSync(lock)
    expect(await child.exited).toBe(0)
  })
})

test('packages are installed once, and again when a file that says which ones is newer', async () => {
  const programs = slowPrograms()
  const files = ['package.json', 'bun.lock', 'patches/one.patch'].map((name) =>
    join(checkout, name),
  )
  mkdirSync(join(checkout, 'patches'))
  for (const file of files) writeFileSync(file, '')
  for (let count = 1; count <= 4; count++) {
    for (let again = 0; again < 2; again++) await outcome(start(programs))
    expect(installations()).toBe(count)
    const file = files[count - 1]
    if (file) writeFileSync(file, 'changed')
  }
})
