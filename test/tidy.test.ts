import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import clients from './clients/package.json' with { type: 'json' }

/** The rules of docs/architecture.md that no linter checks. */

const root = Bun.fileURLToPath(new URL('../', import.meta.url))
const sources = [
  ...new Glob('{src,bin,scripts,test,demo,bench,contracts,client}/**/*.{ts,tsx,sql,sol}').scanSync(
    root,
  ),
]
  .filter((file) => !file.includes('/node_modules/'))
  .sort()
const text = async (file: string) => Bun.file(root + file).text()

/** The matching lines in `files`, as `file:line`. */
async function offenders(look: RegExp, files: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const file of files) {
    const lines = (await text(file)).split('\n')
    lines.forEach((line, at) => {
      if (look.test(line)) found.push(`${file}:${at + 1}`)
    })
  }
  return found
}

const inRoom = (room: string) => sources.filter((file) => file.startsWith(`src/${room}/`))
const outside = (...allowed: readonly string[]) =>
  sources.filter(
    (file) => file.startsWith('src/') && !allowed.some((path) => file.startsWith(`src/${path}`)),
  )

describe('domain is pure', () => {
  test('it never reads a clock, a random source or the environment, and never waits', async () => {
    // Bun’s hashers are as pure as those of node:crypto, at half the cost.
    const impure =
      /Date\.now|new Date\(\)|Math\.random|random(UUID|Bytes)\(|process\.|\bawait\b|\basync\b|\bBun\.(?!CryptoHasher|SHA256)/
    expect(await offenders(impure, inRoom('domain'))).toEqual([])
  })

  test('every exported function says what it is for', async () => {
    const bare: string[] = []
    for (const file of inRoom('domain')) {
      const lines = (await text(file)).split('\n')
      lines.forEach((line, at) => {
        const isExport = line.startsWith('export function')
        if (isExport && !lines[at - 1]?.trimEnd().endsWith('*/')) bare.push(`${file}:${at + 1}`)
      })
    }
    expect(bare).toEqual([])
  })

  test('money is never a float: no parseFloat, toFixed or Number() of an amount', async () => {
    expect(
      await offenders(/parseFloat|toFixed|Number\(.*(amount|usdc|units)/i, inRoom('domain')),
    ).toEqual([])
  })
})

describe('one place for each thing', () => {
  test('only config.ts reads the environment (what is bundled for browsers has none)', async () => {
    expect(
      await offenders(/process\.env/, outside('config/config.ts', 'http/pages/bundle.ts')),
    ).toEqual([])
  })

  test('fetch is called only for operators’ URLs (two files of chain/, rates.ts, read-json.ts and verify/), by the egress guard, and in the browser', async () => {
    const files = outside(
      'chain/rpc/node.ts',
      'chain/facilitator/client.ts',
      'queues/rates.ts',
      'operator/read-json.ts',
      'verify/node.ts',
      'http/egress/exchange.ts',
      'dashboard/',
    )
    expect(await offenders(/(?<![.\w])fetch\(/, files)).toEqual([])
  })

  test('SQL is written only in storage', async () => {
    expect(await offenders(/\bsql(<.*>)?`/, outside('storage/'))).toEqual([])
  })

  test('no multi-statement transaction on postgres.js: it can tear', async () => {
    expect(await offenders(/\.begin\(/, outside())).toEqual([])
  })
})

describe('the tree', () => {
  test('migrations are numbered without gaps and never share a number', async () => {
    const names = sources
      .filter((file) => file.endsWith('.sql'))
      .map((file) => file.split('/').at(-1) ?? '')
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, at) => at + 1))
  })

  test('the index of decisions names every record once, by its title', async () => {
    const index = await text('docs/decisions/README.md')
    const records = [...new Glob('docs/decisions/0*.md').scanSync(root)].sort()
    const lines = await Promise.all(
      records.map(async (file) => {
        const [, number, title] = /^# (\d+)\. (.*)/.exec(await text(file)) ?? []
        return `- [${number}](${file.split('/').at(-1)}) ${title}`
      }),
    )
    const listed = index.split('\n').filter((line) => line.startsWith('- '))
    expect(listed.sort()).toEqual(lines.sort())
  })

  test('no line of a comment is wider than 100 columns', async () => {
    const wide = /^(?=.{101})\s*(\/\/|\/?\*\*?) (?!biome-ignore)/u
    const written = sources.filter((file) => /(?<!client\/(dist|src\/schema).*)\.tsx?$/.test(file))
    expect(await offenders(wide, written)).toEqual([])
  })

  test('nothing is left for later in a comment', async () => {
    const others = sources.filter((file) => file !== 'test/tidy.test.ts')
    expect(await offenders(/\b(TODO|FIXME|HACK)\b/, others)).toEqual([])
  })

  test('no skipped or focused test', async () => {
    const tests = sources.filter(
      (file) => file.endsWith('.test.ts') && file !== 'test/tidy.test.ts',
    )
    expect(await offenders(/\b(test|describe)\.(only|todo|skip)\(/, tests)).toEqual([])
  })

  test('every dependency is pinned exactly', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const all = [dependencies, devDependencies, optionalDependencies, clients.dependencies].flatMap(
      (group) => Object.entries(group),
    )
    expect(
      all.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)),
    ).toEqual([])
  })
})
