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

/** Runs the program once for each line of standard input, in one process. */
const everyVector = `
import contextlib, io, json, os, sys
source = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
for vector in map(json.loads, sys.stdin.read().splitlines()):
    os.environ["SIGNING_SECRET"] = vector["secret"]
    sys.stdin, printed = io.StringIO(vector["input_json"]), io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(source, {"__name__": "__main__"})
    except ValueError as error:
        printed.write(str(error))
    print(printed.getvalue().strip())
`

describe.skipIf(python === null)('the program in Python', () => {
  test('signs every vector correctly, or says that it cannot', async () => {
    const accepted = vectors.vectors.filter(({ policy }) => policy === 'accept')
    const child = Bun.spawn([python ?? '', '-c', everyVector, program], {
      stdin: new TextEncoder().encode(accepted.map((one) => JSON.stringify(one)).join('\n')),
      env: { PATH: process.env.PATH ?? '', PYTHONUTF8: '1' },
    })
    const answers = (await child.stdout.text()).trimEnd().split('\n')
    expect(answers).toHaveLength(accepted.length)
    const signed = accepted.map(({ id, signature }, at) => [id, answers[at], signature] as const)
    const able = signed.filter(([, answer]) => !answer?.includes('send it as text'))
    expect(able.length).toBeGreaterThan(10)
    for (const [id, answer, signature] of able) expect([id, answer]).toEqual([id, signature])
  })
})
