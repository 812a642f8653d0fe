import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useWorld } from '../support/world.ts'
import { sectionOf } from './report.ts'

/** Generators of clients take the service's own description of its routes. */

const { tries, writes } = sectionOf('Generators of clients')
const { app } = useWorld({ env: { ROLE: 'http' } })

const generators = {
  'openapi-typescript': { program: 'bin/cli.js', output: 'schema.d.ts', made: 'schema.d.ts' },
  '@hey-api/openapi-ts': { program: 'bin/run.js', output: '.', made: 'sdk.gen.ts' },
}

for (const [name, { program, output, made }] of Object.entries(generators))
  tries('C5', name, 'makes a client of `/openapi.json`', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quittance-openapi-'))
    try {
      const document = join(directory, 'openapi.json')
      await Bun.write(document, (await app.keyless('GET', '/openapi.json')).text)
      const folder = join(directory, 'made')
      const at = Bun.fileURLToPath(new URL(`node_modules/${name}/${program}`, import.meta.url))
      const options = name.startsWith('@') ? ['-i', document] : [document]
      const run = Bun.spawn([process.execPath, at, ...options, '-o', join(folder, output)], {
        cwd: import.meta.dir,
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [code, ...said] = await Promise.all([run.exited, run.stdout.text(), run.stderr.text()])
      expect([code, code === 0 ? '' : said.join('\n')]).toEqual([0, ''])
      expect(await Bun.file(join(folder, made)).text()).toContain('/api/x402/invoice')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

writes()
