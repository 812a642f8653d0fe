import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob, YAML } from 'bun'
import { readConfig } from '../../src/config.ts'

/** What the pages say of files and variables is so. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const pages = [...new Glob('{*.md,docs/**/*.md}').scanSync(root)].sort()

test('every link between pages leads to a file', async () => {
  const dead: string[] = []
  for (const page of pages) {
    const text = await Bun.file(root + page).text()
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      if (!existsSync(join(root, dirname(page), target))) dead.push(`${page}: ${target}`)
  }
  expect(dead).toEqual([])
})

type Compose = {
  readonly services: Readonly<Record<string, { environment?: Record<string, string> }>>
}

test.each(['http', 'worker'])(
  'the compose file configures the role %s with variables that exist',
  async (role) => {
    const text = await Bun.file(`${root}deploy/compose.yaml`).text()
    const { services } = YAML.parse(text.replace(/\$\{\w+:\?\}/g, 'x')) as Compose
    const given = services[role]?.environment ?? {}
    const example = {
      SECRETS_KEY: 'ab'.repeat(32),
      JWT_SECRET: 'x'.repeat(32),
      MANDATE_SIGNING_SECRET: 'x'.repeat(16),
      PUBLIC_URL: 'https://pay.example.com',
      BASE_RPC_URL: 'https://node.example.com',
      BASE_WALLET: `0x${'a'.repeat(40)}`,
    }
    expect(await unread({ ...given, ...example })).toEqual([])
    expect(readConfig({ ...given, ...example })).toMatchObject({
      role,
      isProduction: true,
      metricsPort: 9100,
    })
  },
)

test('the environment files and units name variables that exist', async () => {
  const files = [...new Glob('deploy/*.{example,service}').scanSync(root)]
  expect(files).toHaveLength(3)
  const texts = await Promise.all(files.map((file) => Bun.file(root + file).text()))
  const text = texts.join('\n').replaceAll('Environment=', '\n')
  const names = Array.from(text.matchAll(/(?:^| )([A-Z][A-Z_]+)=/gm), ([, name = '']) => [name, ''])
  expect(names.length).toBeGreaterThan(10)
  expect(await unread(Object.fromEntries(names))).toEqual([])
})

/** The names among `variables` that configuration never looks at. */
async function unread(variables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const read = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_, name) => void read.add(String(name)) },
  )
  readConfig(env)
  return Object.keys(variables).filter((name) => !read.has(name))
}
