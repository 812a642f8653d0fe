import { expect, test } from 'bun:test'
import { schemaText } from '../../client/generate.ts'
import manifest from '../../client/package.json' with { type: 'json' }
import root from '../../package.json' with { type: 'json' }

test('the committed types are those of the service (run `bun run client` if not)', async () => {
  const checkedIn = await Bun.file(new URL('../../client/src/schema.ts', import.meta.url)).text()
  expect((await schemaText()) === checkedIn).toBe(true)
})

test('the client has the service’s version, and is tested with its own dependencies', () => {
  expect(manifest.version).toBe(root.version)
  expect(root.devDependencies).toMatchObject(manifest.dependencies)
})
