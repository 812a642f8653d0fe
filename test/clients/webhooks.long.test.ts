import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { type Received, startReceiver } from '../support/receiver.ts'
import { useWorld } from '../support/world.ts'
import { sectionOf } from './report.ts'

/** The official verifiers take what the service delivers, and nothing else. */

const { tries, writes } = sectionOf('Verifiers of webhooks')
const { app } = useWorld()

const secrets = [
  { kind: 'one that the service made', secret: undefined, isText: false },
  { kind: 'base64 of your own', secret: `whsec_${btoa('k'.repeat(32))}`, isText: false },
  { kind: 'any text', secret: 'a-secret-of-ones-own', isText: true },
  { kind: '`whsec_your_webhook_secret`', secret: 'whsec_your_webhook_secret', isText: true },
]

for (const [name, Verifier] of [
  ['standardwebhooks', Standard],
  ['svix', Svix],
] as const)
  for (const { kind, secret, isText } of secrets)
    tries('C1', name, `verifies a delivery; the secret is ${kind}`, async () => {
      const { body, headers, key } = await delivered(secret)
      const verifier = isText
        ? new Verifier(Buffer.from(key), { format: 'raw' })
        : new Verifier(key)
      verifier.verify(body, { ...headers })
      expect(() => verifier.verify(`${body} `, { ...headers })).toThrow()
    })

for (const { kind, secret } of secrets)
  tries(
    'C1',
    'node:crypto',
    `recomputes \`X-Service-Signature\`; the secret is ${kind}`,
    async () => {
      const { body, headers, key } = await delivered(secret)
      const expected = createHmac('sha256', key).update(body).digest('hex')
      expect(headers['x-service-signature']).toBe(expected)
    },
  )

writes()

/** A test event of a new webhook with this secret, or with one that the service makes. */
async function delivered(chosen?: string): Promise<Received & { readonly key: string }> {
  const receiver = startReceiver()
  try {
    const wanted = { url: receiver.url, events: ['invoice.settled'], secret: chosen }
    const { json } = await app.send('POST', '/v1/webhooks', wanted)
    const { id, secret } = json.data
    await app.send('POST', `/v1/webhooks/${id}/test`, { event: 'invoice.settled' })
    return { ...(await receiver.next(() => true)), key: chosen ?? secret }
  } finally {
    receiver.stop()
  }
}
