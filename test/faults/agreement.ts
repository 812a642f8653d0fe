import { canonicalText } from '../../src/domain/mandates/canonical.ts'
import { signatureOf } from '../support/mandate.ts'
import type { Client } from './client.ts'
import type { Stage } from './stage.ts'

/**
 * Proposes a mandate and answers its id and its moves. Each move answers the HTTP status it
 * received.
 */
export async function propose(
  { account }: Stage,
  client: Client,
  expiresAt = '2099-12-31T00:00:00.000Z',
) {
  const parties = { proposer: 'agent_alpha', counterparty: 'agent_beta', scope: 'work' }
  const proposal = { ...parties, terms: { a: 1 }, expiry: expiresAt }
  const id: string = (await client.call('POST', '/v1/mandates', proposal)).data.mandate_id
  const canonical = canonicalText({ id, ...parties, terms: '{"a":1}', expiresAt })
  const signature = signatureOf(canonical, account.signingSecret)
  const move = async (how: string, body: object) =>
    (await client.call('POST', `/v1/mandates/${id}/${how}`, body)).status
  return {
    id,
    sign: (signer: 'proposer' | 'counterparty') => move('sign', { signer, signature }),
    complete: () => move('complete', {}),
    dispute: () => move('dispute', { reason: 'Half is missing' }),
  }
}
