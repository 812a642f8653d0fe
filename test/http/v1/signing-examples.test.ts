import { describe, expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'
import vectors from '../../vectors/mandate-hmac.json' with { type: 'json' }

/** The service accepts the signatures of the programs in docs/examples. */

const folder = Bun.fileURLToPath(new URL('../../../docs/examples/', import.meta.url))

const { app } = useWorld({ env: { ROLE: 'http' } })

async function run(command: readonly string[], input: string, secret: string): Promise<string> {
  const child = Bun.spawn([...command], {
    stdin: new TextEncoder().encode(input),
    stderr: 'inherit',
    env: {
      PATH: process.env.PATH ?? '',
      BASE_URL: app.url,
      API_KEY: app.account.v1Key,
      SIGNING_SECRET: secret,
    },
  })
  return (await new Response(child.stdout).text()).trim()
}

const examples = {
  'sign-mandate.ts': [process.execPath, `${folder}sign-mandate.ts`],
  'sign-mandate.sh': ['sh', `${folder}sign-mandate.sh`],
}

describe.each(Object.entries(examples))('%s', (_, command) => {
  test('signs a mandate', async () => {
    const wanted = { scope: 'Zwölf "Seiten" \\ 50 %\n', terms: { 10: 'ten', 9: { b: 1, a: '✓' } } }
    const expiry = '2099-12-31T00:00:00Z'
    const parties = { proposer: 'alpha', counterparty: 'beta' }
    const { json } = await app.send('POST', '/v1/mandates', { ...wanted, ...parties, expiry })
    const id = json.data.mandate_id
    const shown = (await app.send('GET', `/v1/mandates/${id}`)).json.data
    const signature = await run(command, JSON.stringify(shown), app.account.signingSecret)
    const body = { signer: 'proposer', signature }
    const signed = await app.send('POST', `/v1/mandates/${id}/sign`, body)
    expect([signed.status, signed.json.data?.status]).toEqual([200, 'signed_by_proposer'])
  })

  const all = vectors.vectors.filter(({ policy }) => policy === 'accept')

  test('signs every vector as was agreed', async () => {
    for (const { id, input_json, secret, signature } of all)
      expect([id, await run(command, input_json, secret)]).toEqual([id, signature])
  })
})
