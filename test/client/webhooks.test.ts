import { describe, expect, test } from 'bun:test'
import {
  type Delivery,
  verifyServiceSignature,
  verifyWebhook,
  WebhookError,
} from '@quittance/client/webhooks'
import { sampleData } from '../../src/domain/webhooks/event-samples.ts'
import { webhookHeaders } from '../../src/domain/webhooks/signature.ts'

const event = {
  id: 'evt_1',
  type: 'invoice.settled',
  createdAt: '2026-05-01T12:00:00.000Z',
  sequence: 4,
  data: { customer: 'Zoë ✓' },
}
const body = JSON.stringify(event)
const now = new Date('2026-05-01T12:00:00Z')
const timestampSeconds = now.getTime() / 1_000
const plain = 'a-secret-of-ones-own'
const whsec = `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`
const unencoded = [
  'whsec_not/base64!-at-all',
  'whsec_your_webhook_secret',
  `whsec_${btoa('k'.repeat(15))}`,
]

type Secrets = readonly [string, ...string[]]

function delivered(secret: string, secrets: Secrets = [secret], text = body): Delivery {
  const sent = { eventId: event.id, type: event.type, body: text, secrets, timestampSeconds }
  return { body: text, headers: webhookHeaders(sent), secret, now }
}

/** The delivery with another value of a header, or without it. */
const withHeader = (
  name: string,
  value: string | undefined,
  { headers, ...delivery }: Delivery,
): Delivery => ({
  ...delivery,
  headers: { ...(headers as Record<string, string>), [name]: value },
})

const verifiers = [
  ['verifyWebhook', verifyWebhook, 'webhook-signature', 'webhook-timestamp'],
  ['verifyServiceSignature', verifyServiceSignature, 'x-service-signature', 'x-service-timestamp'],
] as const

describe.each(verifiers)('%s', (_, verify, signature, timestamp) => {
  test.each([plain, whsec, ...unencoded])(
    'accepts what the service signs under %s',
    async (secret) => {
      expect(await verify(delivered(secret))).toEqual(event as never)
    },
  )

  test('answers an event whose type determines its data', async () => {
    const data = sampleData('invoice.settled', 'inv', 'v1', now)
    const settled = `{"id":"evt_1","type":"invoice.settled","createdAt":"","sequence":4,"data":${data}}`
    const event = await verify(delivered(plain, [plain], settled))
    if (event.type !== 'invoice.settled') throw new Error(event.type)
    const { txHash, paymentDetails } = event.data
    expect([txHash, paymentDetails.amountDue]).toEqual([`0x${'5a'.repeat(32)}`, '12.50'])
  })

  test('accepts bytes and Headers as well as texts and records', async () => {
    const { headers, ...delivery } = delivered(plain)
    const bytes = Buffer.from(body)
    const real = new Headers(headers as Record<string, string>)
    expect(await verify({ ...delivery, body: bytes, headers: real })).toEqual(event as never)
  })

  test('refuses another secret, another body and an invalid signature', async () => {
    const good = delivered(plain)
    const bad = [
      { ...good, secret: whsec },
      { ...good, body: body.replace('4', '5') },
      { ...good, body: ` ${body}` },
      ...['', 'v1,', 'v1,AAAA', 'zz', '00'.repeat(32), 'v2,'.padEnd(47, 'A')].map((value) =>
        withHeader(signature, value, good),
      ),
      withHeader(signature, undefined, good),
    ]
    for (const delivery of bad) await expect(verify(delivery)).rejects.toThrow(WebhookError)
  })

  test('refuses a timestamp outside the tolerance', async () => {
    const late = (seconds: number) => ({
      ...delivered(plain),
      now: new Date(now.getTime() + seconds * 1_000),
    })
    for (const seconds of [-300, 300]) expect(await verify(late(seconds))).toEqual(event as never)
    for (const seconds of [-301, 301])
      await expect(verify(late(seconds))).rejects.toThrow(WebhookError)
    expect(await verify({ ...late(301), toleranceSeconds: 400 })).toEqual(event as never)
    for (const value of ['', 'NaN', '1e3', ' '])
      await expect(verify(withHeader(timestamp, value, delivered(plain)))).rejects.toThrow(
        WebhookError,
      )
  })
})

describe('while a rotation overlaps', () => {
  test('verifyWebhook accepts either secret', async () => {
    for (const secret of [whsec, plain])
      expect(await verifyWebhook(delivered(secret, [whsec, plain]))).toEqual(event as never)
  })

  test('verifyServiceSignature accepts the new one', async () => {
    expect(await verifyServiceSignature(delivered(whsec, [whsec, plain]))).toEqual(event as never)
    await expect(verifyServiceSignature(delivered(plain, [whsec, plain]))).rejects.toThrow(
      WebhookError,
    )
  })
})

test('verifyWebhook covers id and timestamp', async () => {
  const good = delivered(plain)
  for (const delivery of [
    withHeader('webhook-id', 'evt_2', good),
    withHeader('webhook-timestamp', `${timestampSeconds + 1}`, good),
  ])
    await expect(verifyWebhook(delivery)).rejects.toThrow(WebhookError)
})
