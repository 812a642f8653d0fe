import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { blocksOf, printed, shellOf, workingPython } from '../support/documentation.ts'
import { useWorld } from '../support/world.ts'
import vectors from '../vectors/mandate-hmac.json' with { type: 'json' }

/** The commands of docs/mandates.md, with each of its signing programs. */

const page = 'docs/mandates.md'
const python = await workingPython()
const directory = mkdtempSync(join(tmpdir(), 'quittance-docs-'))
const program = join(directory, 'sign.py')

const { app } = useWorld({ env: { ROLE: 'http' } })

beforeAll(async () => {
  const [text = ''] = await blocksOf(page, 'python')
  await Bun.write(program, text)
})

afterAll(() => rmSync(directory, { recursive: true }))

const signers = [
  // By its name: the shell takes what is in `$SIGN` apart at spaces, which a path may have.
  ['TypeScript', 'bun docs/examples/sign-mandate.ts'],
  ['shell', 'sh docs/examples/sign-mandate.sh'],
  ...(python === null ? [] : [['Python', `${python} ${program}`] as const]),
] as const

test.each(signers)('both parties sign a mandate in %s, and complete it', async (_, sign) => {
  const output = await printed(['sh', '-eu'], await shellOf(page), {
    QUITTANCE_URL: app.url,
    QUITTANCE_KEY: app.account.v1Key,
    SIGNING_SECRET: app.account.signingSecret,
    BASE_URL: app.url,
    API_KEY: app.account.v1Key,
    SIGN: sign,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
  })
  for (const state of ['signed_by_proposer', 'signed_by_both', 'completed'])
    expect(output).toContain(`"status":"${state}"`)
})

describe.skipIf(python === null)('the program in Python', () => {
  test('signs every vector correctly, or says that it cannot', async () => {
    let signed = 0
    for (const { id, input_json, secret, signature, policy } of vectors.vectors) {
      if (policy !== 'accept') continue
      const child = Bun.spawn([python ?? '', program], {
        stdin: new TextEncoder().encode(input_json),
        env: { PATH: process.env.PATH ?? '', PYTHONUTF8: '1', SIGNING_SECRET: secret },
        stderr: 'pipe',
      })
      const [output, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      if (stderr.includes('send it as text')) continue
      expect([id, output.trim()]).toEqual([id, signature])
      signed++
    }
    expect(signed).toBeGreaterThan(10)
  })
})
