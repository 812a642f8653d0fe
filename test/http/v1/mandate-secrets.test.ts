import { describe, expect, test } from 'bun:test'
import { signatureOf } from '../../support/mandate.ts'
import { aMandate } from '../../support/mandates.ts'
import { useWorld } from '../../support/world.ts'

const deploymentSecret = 'the secret of this deployment'

const { app } = useWorld({ env: { ROLE: 'http', MANDATE_SIGNING_SECRET: deploymentSecret } })

async function statusOfSigning(secret: string): Promise<number> {
  const { id, canonical } = await aMandate(app, [])
  const signature = signatureOf(canonical, secret)
  const body = { signer: 'proposer', signature }
  return (await app.send('POST', `/v1/mandates/${id}/sign`, body)).status
}

describe('MANDATE_SIGNING_SECRET', () => {
  test('counts for nothing where the account has a secret of its own', async () => {
    expect(await statusOfSigning(app.account.signingSecret)).toBe(200)
    expect(await statusOfSigning(deploymentSecret)).toBe(403)
  })

  test('signs for an account that has none', async () => {
    const { id } = app.account.account
    await app.database.sql`update accounts set signing_secret_sealed = null where id = ${id}`
    expect(await statusOfSigning(deploymentSecret)).toBe(200)
    expect(await statusOfSigning(app.account.signingSecret)).toBe(403)
  })
})
