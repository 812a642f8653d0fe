import { describe, expect, test } from 'bun:test'
import { presets } from '../../../src/domain/accounts/scopes.ts'
import { keyFrom } from '../../../src/domain/accounts/secret.ts'
import { openAccount } from '../../../src/operator/accounts.ts'
import { listAudit } from '../../../src/storage/accounts/audit.ts'
import { keyWith, refused, testSecretsKey } from '../../support/app.ts'
import { png, pngUrl, square, svgUrl } from '../../support/pictures.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
const sealKey = keyFrom(testSecretsKey)
const path = '/api/account/profile'
const put = (body: object, key = app.account.apiKey) =>
  app.keyless('PUT', path, body, { 'x-api-key': key, 'x-request-id': 'asked' })
const newKey = async () => {
  const { account, apiKey } = await openAccount(app.database.sql, sealKey, {
    name: 'Eve',
    plan: 'pro',
  })
  return { accountId: account.id, key: apiKey }
}
const profileOf = async (key: string) =>
  (await app.keyless('GET', path, undefined, { 'x-api-key': key })).json
const empty = {
  ...{ name: null, address: null, country: null, vat: null },
  ...{ email: null, website: null, logo: null },
}
const whole = {
  ...{ name: 'Grace Example GmbH', address: '2 Example Road\n10115 Berlin', country: 'DE' },
  ...{ vat: 'DE123456788', email: 'billing@example.com', website: 'https://example.com' },
}

describe('the profile of an account', () => {
  test('is empty at first; a change keeps what it leaves out, and null clears', async () => {
    const { key } = await newKey()
    expect(await profileOf(key)).toEqual(empty)
    expect((await put({ ...whole, country: 'de' }, key)).json).toEqual({ ...empty, ...whole })
    const { status, json } = await put({ email: null, name: 'Grace' }, key)
    expect([status, json]).toEqual([200, { ...empty, ...whole, email: null, name: 'Grace' }])
    expect(await profileOf(key)).toEqual(json)
  })

  test('is of one account, read with invoices:read and changed with invoices:write', async () => {
    const reader = await keyWith(app, presets.read_only)
    expect(refused(await put(whole, reader))).toEqual([403, 'FORBIDDEN'])
    expect((await app.keyless('GET', path, undefined, { 'x-api-key': reader })).status).toBe(200)
    const hooks = await keyWith(app, presets.webhook_only)
    const answer = await app.keyless('GET', path, undefined, { 'x-api-key': hooks })
    expect(refused(answer)).toEqual([403, 'FORBIDDEN'])
    await put({ name: 'Ada' })
    expect(await profileOf((await newKey()).key)).toEqual(empty)
  })

  test('each change is in the audit log, with its author, and the logo as its hash', async () => {
    const { accountId, key } = await newKey()
    await put({ name: 'Grace', logo: svgUrl(square) }, key)
    await put({ name: 'Grace' }, key)
    await put({ logo: null }, key)
    const entries = await listAudit(app.database.sql, { accountId, before: null, limit: 2 })
    const [cleared, made] = entries
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const { logo: _, ...texts } = empty
    const after = { ...texts, name: 'Grace', logo_sha256: hash }
    const by = { kind: 'profile', subjectId: accountId, requestId: 'asked' } as const
    expect(made).toMatchObject({ ...by, action: 'created', before: null, after })
    const without = { ...texts, name: 'Grace', logo_sha256: null }
    expect(cleared).toMatchObject({ ...by, action: 'changed', before: after, after: without })
    expect(cleared?.actor).toStartWith('key:')
  })

  test.each<[string, object]>([
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['name', { name: '   ' }],
    ['address', { address: ' \n ' }],
    ...['Germany', 'XQ', 'ZZ', 'EU', 'UK', 'DD', 'ſe'].map((code): [string, object] => [
      'country',
      { country: code },
    ]),
    ['email', { email: 'nobody' }],
    ['website', { website: 'javascript:alert(1)' }],
    ['website', { website: 'https://' }],
    ['vat', { vat: 'a\nb' }],
    ['country email website', { country: 'UK', email: 'b@e', website: 'https://' }],
  ])('400 naming %s for %p', async (fields, body) => {
    const answer = await put(body)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    const { details } = answer.json.error
    expect(details.map(({ path }: { path: string }) => path)).toEqual(fields.split(' '))
    for (const { message } of details) expect(message).not.toContain('null')
  })
})

describe('the logo', () => {
  test.each<[string, string, number[]]>([
    ['a small PNG keeps its size', pngUrl(png(40, 20)), [40, 20]],
    ['a large one is scaled down', pngUrl(png(1_024, 256)), [512, 128]],
    ['an SVG is drawn as large as fits', svgUrl(square), [512, 256]],
    [
      'with a gradient',
      svgUrl(
        `<defs><linearGradient id="a"><stop stop-color="red"/></linearGradient></defs><path style="fill:url(#a)" d="M0 0h9v9z"/>`,
      ),
      [512, 256],
    ],
    [
      'with a clip path',
      svgUrl(
        `<clipPath id="a"><path d="M0 0h9v9z"/></clipPath><g clip-path="url(#a)">${square}</g>`,
      ),
      [512, 256],
    ],
    [
      'with classes and a prologue',
      svgUrl(
        `<style>.a{fill:#123}</style><rect class="a" width="9" height="9"/>`,
        '<?xml version="1.0"?><!-- made by hand -->',
      ),
      [512, 256],
    ],
  ])('%s', async (_, logo, size) => {
    const { status, json } = await put({ logo })
    expect(status).toBe(200)
    const bytes = Buffer.from(json.logo.replace('data:image/png;base64,', ''), 'base64')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(size)
  })

  test('nothing but pixels is kept of it', async () => {
    const { json } = await put({ logo: pngUrl(png(40, 20, { text: 'taken at home' })) })
    const bytes = Buffer.from(json.logo.replace('data:image/png;base64,', ''), 'base64')
    expect(bytes.toString('latin1')).not.toContain('taken at home')
    expect(bytes.toString('latin1')).not.toContain('tEXt')
  })

  test('two at once are one, and 409 for the other, which may be sent again', async () => {
    const { key } = await newKey()
    const logo = svgUrl(square)
    const answers = await Promise.all([put({ logo }, key), put({ logo }, key)])
    expect(answers.map(refused).sort()).toEqual([
      [200, undefined],
      [409, 'INVALID_STATE'],
    ])
    expect((await put({ logo }, key)).status).toBe(200)
  })

  const xxe = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
  const laughs = '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
  test.each<[string, string]>([
    ['no data URL', 'https://example.com/logo.png'],
    ['another type', 'data:image/gif;base64,R0lGODlhAQABAAAAACw='],
    ['a PNG of more than 64 KiB', pngUrl(Buffer.concat([png(9, 9), Buffer.alloc(65_536)]))],
    ['a PNG that is none', pngUrl(Buffer.from('<svg></svg>'.repeat(9)))],
    ['a PNG of huge dimensions', pngUrl(png(2_049, 1))],
    ['a PNG bomb', pngUrl(png(65_535, 60_000, { rows: 1 }))],
    ['a PNG that breaks off', pngUrl(png(40, 20).subarray(0, 60))],
    ['a picture that shows nothing', svgUrl('')],
    ['an SVG with a script', svgUrl('<script>alert(1)</script>')],
    ['a prefixed script', svgUrl('<s:script xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['an event handler', svgUrl('<path d="M0 0h9v9z" onload="alert(1)"/>')],
    ['a link', svgUrl('<a href="https://example.com"><path d="M0 0h9v9z"/></a>')],
    [
      'foreignObject',
      svgUrl('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>'),
    ],
    ['an image from elsewhere', svgUrl('<image href="https://example.com/a.png"/>')],
    ['a paint from elsewhere', svgUrl('<path d="M0 0h9v9z" fill="url(https://example.com#a)"/>')],
    ['an import', svgUrl('<style>@import "https://example.com/a.css";</style>')],
    ['an XXE', svgUrl(`<title>&x;</title>${square}`, xxe)],
    ['a billion laughs', svgUrl(`<title>&b;</title>${square}`, laughs)],
    ['repeated use', svgUrl(`<g id="a">${square}</g><use href="#a"/>`)],
    ['a crowded clip path', svgUrl(`<clipPath id="a">${square.repeat(17)}</clipPath>${square}`)],
    ['blanks in a paint', svgUrl(`<path fill="url(${' '.repeat(65_000)}a)" d="M0 0h9v9z"/>`)],
    [
      'clipped shapes without end',
      svgUrl(
        `<clipPath id="a">${square.repeat(16)}</clipPath>${'<path opacity=".5" clip-path="url(#a)" d="M0 0h40v20H0z"/>'.repeat(500)}`,
      ),
    ],
    ['a filter', svgUrl(`<g filter="url(#a)">${square}</g>`)],
    ['deep nesting', svgUrl('<g>'.repeat(40) + square + '</g>'.repeat(40))],
    ['very many elements', svgUrl('<path d="M0 0"/>'.repeat(2_001))],
    ['text that is no SVG', svgUrl('', '<html/>')],
    ['a comment that never ends', svgUrl(`${'<!--'.repeat(9_000)}${square}`)],
    ['nothing but brackets', svgUrl('<'.repeat(40_000))],
    ['a broken tag', svgUrl(`${square}<use href="#a"`)],
  ])('%s is refused', async (_, logo) => {
    const answer = await put({ logo })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe('logo')
  })
})

describe('the seller of a new invoice', () => {
  const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
  const wallet = `0x${'ab'.repeat(20)}`
  const nested = { currency: 'USD', buyer: { companyName: 'Ada', email: 'ada@example.com' } }
  const bodies = {
    '/api/invoices': { amount: 100, ...nested, seller: { wallet } },
    '/api/v1/invoices': { amount: 100, ...buyer },
    '/v1/invoices': { amount: '1', ...buyer },
  }
  const sellerOf = ({ json }: Awaited<ReturnType<typeof put>>) => (json.data ?? json).seller

  test.each(Object.entries(bodies))(
    '%s: what the request leaves out is the profile’s, and stays',
    async (route, body) => {
      const { key } = await newKey()
      const post = (more = {}) =>
        app.keyless('POST', route, { ...body, ...more }, { 'x-api-key': key })
      await put(whole, key)
      const seller = {
        ...{ name: whole.name, vat: whole.vat },
        address: '2 Example Road\n10115 Berlin\nGermany',
      }
      const made = await post()
      expect(sellerOf(made)).toMatchObject(seller)
      const named = (name: string) =>
        post(route === '/api/invoices' ? { seller: { wallet, name } } : { sellerName: name })
      expect(sellerOf(await named(whole.name))).toMatchObject(seller)
      // Of another seller the profile says nothing.
      expect(sellerOf(await named('Eve'))).toMatchObject({ name: 'Eve', vat: null, address: null })
      await put({ name: 'Renamed', vat: null }, key)
      expect(sellerOf(await post())).toMatchObject({ name: 'Renamed', vat: null })
      const { id } = made.json.data ?? made.json
      const again = await app.keyless('GET', `${route}/${id}`, undefined, { 'x-api-key': key })
      expect(sellerOf(again)).toMatchObject(seller)
    },
  )

  test('/api/invoices needs a name where the profile has none', async () => {
    const { key } = await newKey()
    const body = bodies['/api/invoices']
    const answer = await app.keyless('POST', '/api/invoices', body, { 'x-api-key': key })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe('seller/name')
  })
})
