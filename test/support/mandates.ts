import { canonicalText } from '../../src/domain/mandates/canonical.ts'
import type { Signer } from '../../src/domain/mandates/mandate.ts'
import type { TestApp } from './app.ts'
import { signatureOf } from './mandate.ts'

export type Made = { readonly id: string; readonly canonical: string; readonly signature: string }

const both = ['proposer', 'counterparty'] as const

/** Of this app's account, signed by both parties by default. */
export async function aMandate(
  app: TestApp,
  signers: readonly Signer[] = both,
  expiry = '2099-12-31T00:00:00.000Z',
  terms: object = { b: 2, a: 1 },
): Promise<Made> {
  const parties = { proposer: 'agent_alpha', counterparty: 'agent_beta', scope: 'work' }
  const { json } = await app.send('POST', '/v1/mandates', { ...parties, terms, expiry })
  const id: string = json.data.mandate_id
  const agreement = { id, ...parties, terms: JSON.stringify(terms), expiresAt: expiry }
  const canonical = canonicalText(agreement)
  const signature = signatureOf(canonical, app.account.signingSecret)
  for (const signer of signers)
    await app.send('POST', `/v1/mandates/${id}/sign`, { signer, signature })
  return { id, canonical, signature }
}
