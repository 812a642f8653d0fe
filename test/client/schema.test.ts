import { expect, test } from 'bun:test'
import { schemaText } from '../../client/generate.ts'
import manifest from '../../client/package.json' with { type: 'json' }
import root from '../../package.json' with { type: 'json' }

test('the types that are checked in are those of the service (else: `bun run client`)', async () => {
  const checkedIn = await Bun.file(new URL('../../client/src/schema.ts', import.meta.url)).text()
  expect((await schemaText()) === checkedIn).toBe(true)
})

test('the client has the version of the service, and is tested with the packages it asks for', () => {
  expect(manifest.version).toBe(root.version)
  expect(root.devDependencies).toMatchObject(manifest.dependencies)
})
