import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { blocksOf, printed } from '../support/documentation.ts'
import { batchOf, receiptOf } from '../support/receipts.ts'

/** The program of docs/commands.md, in a project that has the package by its name. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const [program = ''] = await blocksOf('docs/commands.md', 'ts')
const issuer = { contract: `0x${'c0'.repeat(20)}`, senders: [`0x${'5e'.repeat(20)}`] }
const bundle = { ...batchOf(receiptOf(), []).bundleAt(null), hash: `0x${'00'.repeat(32)}` }
const service = Bun.serve({
  ...{ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(bundle) },
  routes: { '/.well-known/quittance': () => Response.json({ anchor: issuer }) },
})
const { href: BUNDLE_URL, origin: ISSUER_URL } = service.url
const env = { BUNDLE_URL, ISSUER_URL, RPC_URL: 'http://127.0.0.1:1' }
const said = 'false a claim was changed, added or removed: the receipt has another hash\n'

let project: string
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'quittance-verify-'))
  await mkdir(join(project, 'node_modules/@types'), { recursive: true })
  await $`${process.execPath} scripts/build.ts ${join(project, 'node_modules/quittance')}`
    .cwd(root)
    .quiet()
  await symlink(`${root}node_modules/@types/node`, join(project, 'node_modules/@types/node'))
  await Bun.write(join(project, 'package.json'), '{"type":"module"}')
})
afterAll(async () => {
  await service.stop(true)
  await rm(project, { recursive: true })
})

const node = Bun.which('node') ?? ''
test.each([
  ['Bun', [process.execPath, '-']],
  ...(node === '' ? [] : [['Node', [node, '--input-type=module', '-']] as const]),
])('the program gives its verdict on %s', async (_, command) => {
  expect(await printed(command, program, env, project)).toBe(said)
})

test('the program type-checks in a strict project of its own', async () => {
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    noEmit: true,
  }
  await Bun.write(join(project, 'program.ts'), program)
  const config = { compilerOptions, files: ['program.ts'] }
  await Bun.write(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await $`${root}node_modules/.bin/tsc -p ${project}`.quiet().nothrow()
  expect(stdout.toString()).toBe('')
})
