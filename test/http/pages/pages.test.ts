import { beforeAll, describe, expect, test } from 'bun:test'
import { languages } from '../../../src/documents/words/language.ts'
import { tables } from '../../../src/documents/words/tables.ts'
import { dashboardTokens } from '../../../src/http/admission/dashboard-token.ts'
import { keyWith, testSecretsKey } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { earlyInAMinute, eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const body = {
  amount: 12.5,
  currency: 'USDC',
  customerName: 'Ada Secret Ltd',
  customerEmail: 'ada@example.com',
  sellerName: 'Grace Example GmbH',
}

const { app } = useWorld({
  read: ['base'],
  env: { ROLE: 'http', PUBLIC_URL: 'https://pay.example.com' },
})
let invoiceId: string

beforeAll(async () => {
  invoiceId = (await app.send('POST', '/v1/invoices', body)).json.data.id
})

describe('a session', () => {
  test('is a cookie that scripts and other sites cannot have, nor other hosts set, sent over https only', async () => {
    const { status, headers } = await app.send('POST', '/dashboard/session')
    expect(status).toBe(204)
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-quittance_session=[\w.-]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('401 without a key, 403 with one that may not see the dashboard', async () => {
    const key = await keyWith(app, ['invoices:read'])
    const nobody = await app.keyless('POST', '/dashboard/session')
    const other = await app.keyless('POST', '/dashboard/session', undefined, { 'x-api-key': key })
    expect([nobody.status, other.status]).toEqual([401, 403])
  })

  test('may do what its key may, and changes things only with the header no other site can send', async () => {
    const ours = { 'x-requested-with': 'dashboard' }
    const cookie = await session(await keyWith(app, ['dashboard:read', 'invoices:write']))
    const path = '/v1/invoices'
    const statuses = [
      (await app.keyless('POST', path, body, { cookie })).status,
      (await app.keyless('POST', path, body, { cookie, ...ours })).status,
      (await app.keyless('GET', path, undefined, { cookie })).status,
      (await app.keyless('GET', '/api/v1/dashboard/tax-summary', undefined, { cookie })).status,
      (await fetch(`${app.url}/dashboard/session`, { method: 'HEAD', headers: { cookie } })).status,
    ]
    expect(statuses).toEqual([401, 201, 403, 200, 200])
  })

  test('says whose it is while it is good, and where; 401 without one', async () => {
    const cookie = await session(app.account.apiKey)
    const good = await app.keyless('GET', '/dashboard/session', undefined, { cookie })
    const { id, name } = app.account.account
    const told = { account: { id, name }, environment: 'development' }
    expect([good.status, good.json]).toEqual([200, told])
    expect((await app.keyless('GET', '/dashboard/session')).status).toBe(401)
  })

  test('is counted apart from its key: whichever has used up its limit, the other goes on', async () => {
    await earlyInAMinute()
    const { apiKey } = await app.newAccount('free')
    const asSession = { cookie: await session(apiKey), 'x-requested-with': 'dashboard' }
    const ask = (headers: Record<string, string>) =>
      app.keyless('GET', '/v1/invoices', undefined, headers)
    const exhaust = (headers: Record<string, string>) =>
      eventually(async () => {
        const answers = await Promise.all(Array.from({ length: 61 }, () => ask(headers)))
        return answers.some(({ status }) => status === 429)
      })
    await exhaust({ 'x-api-key': apiKey })
    const { status, headers } = await ask(asSession)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '59'])
    const other = await app.newAccount('free')
    const asOther = { cookie: await session(other.apiKey), 'x-requested-with': 'dashboard' }
    await exhaust(asOther)
    expect((await ask({ 'x-api-key': other.apiKey })).status).toBe(200)
    const page = await app.keyless('GET', '/dashboard', undefined, asOther)
    const logout = await app.keyless('DELETE', '/dashboard/session', undefined, asOther)
    expect([page.status, logout.status]).toEqual([200, 204])
    expect(logout.headers.get('set-cookie')).toContain('Max-Age=0')
  })

  test('is not to be had with a dashboard token, which may do less', async () => {
    const { json } = await app.send('POST', '/api/v1/auth/token')
    const cookie = `__Host-quittance_session=${json.data.token}`
    expect((await app.keyless('GET', '/v1/invoices', undefined, { cookie })).status).toBe(401)
  })

  test('ends with its hour: neither another session nor a dashboard token is to be had with it', async () => {
    const headers = {
      cookie: await session(app.account.apiKey),
      'x-requested-with': 'dashboard',
    }
    const statuses = await Promise.all(
      ['/dashboard/session', '/api/v1/auth/token'].map(
        async (path) => (await app.keyless('POST', path, undefined, headers)).status,
      ),
    )
    expect(statuses).toEqual([401, 401])
  })

  test('is nobody’s beside another, in whichever order, or under a name that other hosts can set', async () => {
    const [own, others] = [await session(app.account.apiKey), await session(app.other.apiKey)]
    const statusWith = async (cookie: string) =>
      (await app.keyless('GET', '/v1/invoices', undefined, { cookie })).status
    expect(await statusWith(`a=b; ${own};c=d`)).toBe(200)
    expect(await statusWith(`quittance_session=x; ${own}`)).toBe(200)
    expect(await statusWith(`${others}; ${own}`)).toBe(401)
    expect(await statusWith(`${own}; ${others}`)).toBe(401)
    expect(await statusWith(own.replace('__Host-', ''))).toBe(401)
    expect(await statusWith(`a=b;\t ${own}; c=d`)).toBe(200)
    for (const blank of ['\xa0', '\xef\xbb\xbf']) {
      expect(await statusWith(`${blank}${own}`)).toBe(401)
      expect(await statusWith(`a=b; ${blank}${own}`)).toBe(401)
      expect(await statusWith(`${blank}${others}; ${own}`)).toBe(200)
    }
  })

  test('of another account sees nothing of this one; a broken one is nobody', async () => {
    const cookie = await session(app.other.apiKey)
    const path = `/v1/invoices/${invoiceId}`
    const foreign = await app.keyless('GET', path, undefined, { cookie })
    const broken = await app.keyless('GET', path, undefined, { cookie: `${cookie}x` })
    expect([foreign.status, broken.status]).toEqual([404, 401])
  })
})

describe('the payment page', () => {
  test('tells what to pay, to whom and where, and nothing of the buyer', async () => {
    const { status, json, text } = await app.keyless('GET', `/pay/${invoiceId}/status`)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      status: 'draft',
      amountDue: '12.50',
      total: '12.50',
      chain: 'base',
      sellerName: 'Grace Example GmbH',
    })
    expect(text).not.toContain('Ada')
    expect(text).not.toContain('ada@')
  })

  test('is the same for a browser with a session, be it good or over, and is not counted against it', async () => {
    const { account, apiKey } = await app.newAccount('free')
    const good = await session(apiKey)
    const yesterday = () => new Date(Date.now() - 86_400_000)
    const tokens = dashboardTokens(testSecretsKey, yesterday, 'session')
    const [key] = await app.database.sql`select id from api_keys where account_id = ${account.id}`
    const { token } = await tokens.issue({ accountId: account.id, keyId: key?.id })
    const over = `__Host-quittance_session=${token}`
    for (const cookie of [good, over, `${good}x`])
      for (const path of [`/pay/${invoiceId}`, `/pay/${invoiceId}/status`]) {
        const page = await app.keyless('GET', path, undefined, { cookie })
        expect([page.status, page.headers.get('x-ratelimit-limit')]).toEqual([200, '1000'])
      }
  })

  test('says so without its script too, and nothing in it is markup that the invoice brought', async () => {
    const description = '<script>alert(1)</script> & more'
    const { json } = await app.send('POST', '/v1/invoices', {
      ...body,
      serviceDescription: description,
    })
    const { id, paymentDetails } = json.data
    const { text } = await app.keyless('GET', `/pay/${id}`)
    const plain = /<noscript>(.*)<\/noscript>/s.exec(text)?.[1] ?? ''
    for (const fact of [
      '12.50 USDC',
      'Open',
      'Base',
      'Grace Example GmbH',
      paymentDetails.paymentAddress,
    ])
      expect(plain).toContain(fact)
    expect(plain).toContain(paymentDetails.reference)
    expect(plain).toMatch(/<svg class="qr"[^>]*><path d="M/)
    expect(plain).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more')
    expect(text).toMatch(/<title>12\.50(?:0\d{3})? USDC, INV-/)
    expect(text).not.toContain('Ada')
  })

  test('says of an amount that has arrived and is held that it has, for its invoice alone, and how to claim it', async () => {
    const amount = 7.77
    const make = async (over: object) =>
      (await app.send('POST', '/v1/invoices', { ...body, ...over })).json.data
    const invoice = await make({ amount })
    const other = await make({ amount: 7.78 })
    const isHeld = async ({ id }: { id: string }) =>
      (await app.keyless('GET', `/pay/${id}/status`)).json.isHeld
    const held = (over: object) =>
      heldTransfer(app.database.sql, { usdcBase: 7_770_000n, heldAs: 'ambiguous', ...over })
    const before = new Date(Date.now() - 3_600_000)
    await held({ at: before })
    await held({ madeAt: before })
    await held({ to: `0x${'dd'.repeat(20)}` })
    await held({ state: 'reverted' })
    expect(await isHeld(invoice)).toBe(false)
    await held({ heldAs: 'unmatched' })
    expect([await isHeld(invoice), await isHeld(other)]).toEqual([true, false])
    const { text } = await app.keyless('GET', `/pay/${invoice.id}`)
    expect(text).toContain('do not pay again')
    expect(text).toContain('Claim a transfer')
  })

  test('asks for an amount of its own while another account is due the same, and the API does not', async () => {
    const asOther = { 'x-api-key': app.other.apiKey }
    const order = { ...body, amount: 7.79 }
    const ours = (await app.send('POST', '/v1/invoices', order)).json.data
    await app.keyless('POST', '/v1/invoices', order, asOther)
    const read = async () => (await app.keyless('GET', `/pay/${ours.id}/status`)).json
    const { amountAsked, paymentUri } = await read()
    expect(Number(amountAsked)).toBeWithin(7.790001, 7.791)
    expect(await read()).toMatchObject({ amountAsked, amountDue: '7.79', needsReference: false })
    expect(paymentUri).toContain(`uint256=${Math.round(Number(amountAsked) * 1e6)}`)
    const again = (await app.send('GET', `/v1/invoices/${ours.id}`)).json.data
    expect(again.paymentDetails).toEqual(ours.paymentDetails)
  })

  test('404 of an invoice that is not there, or could not be', async () => {
    const missing = [crypto.randomUUID(), 'x', `${invoiceId}0`]
    for (const id of missing) {
      expect((await app.keyless('GET', `/pay/${id}`)).status).toBe(404)
      expect((await app.keyless('GET', `/pay/${id}/status`)).status).toBe(404)
    }
  })

  test('a browser reads of such an invoice on a page, a program in JSON', async () => {
    for (const id of [crypto.randomUUID(), 'x']) {
      const path = `/pay/${id}`
      const browser = await app.keyless('GET', path, undefined, {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      })
      expect([browser.status, browser.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(browser.text).toStartWith('<!doctype html>')
      for (const accept of ['application/json', '*/*']) {
        const { status, json } = await app.keyless('GET', path, undefined, { accept })
        expect([status, json.error.code]).toEqual([404, 'NOT_FOUND'])
      }
    }
  })

  test('is listed by no search engine that comes upon its link, nor is its status', async () => {
    for (const path of [`/pay/${invoiceId}`, `/pay/${invoiceId}/status`]) {
      const { headers } = await app.keyless('GET', path)
      expect(headers.get('x-robots-tag')).toBe('noindex')
    }
  })

  test('loads nothing from elsewhere, and its files may be kept for ever', async () => {
    const { headers, text } = await app.keyless('GET', `/pay/${invoiceId}`)
    expect(headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; script-src 'self'",
    )
    expect(text).not.toMatch(/https?:/)
    const script = /src="(.*?)"/.exec(text)?.[1] ?? ''
    const asset = await app.keyless('GET', script)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect((await app.keyless('GET', '/assets/none.js')).status).toBe(404)
    // Assets do not count towards the limit of a payer's address, which others may share.
    const left = ({ headers }: typeof asset) => headers.get('x-ratelimit-remaining')
    expect(left(asset)).toBe(left(await app.keyless('GET', script)))
  })

  test('loads the script of payers alone, without the dashboard', async () => {
    const { text } = await app.keyless('GET', `/pay/${invoiceId}`)
    const script = await app.keyless('GET', /src="(.*?)"/.exec(text)?.[1] ?? '')
    expect(script.text).toContain('wallet_switchEthereumChain')
    expect(script.text).not.toContain('Create the first invoice')
  })
})

describe('the language of the payment page', () => {
  const inLanguage = (path: string, acceptLanguage: string, accept = 'text/html') =>
    app.keyless('GET', path, undefined, { 'accept-language': acceptLanguage, accept })

  test.each([...languages])(
    '%s is spoken where it is asked for, with that language’s texts alone',
    async (language) => {
      const { headers, text } = await inLanguage(`/pay/${invoiceId}`, `${language}-XX, en;q=0.1`)
      expect([headers.get('content-language'), headers.get('vary')]).toEqual([
        language,
        'accept-language',
      ])
      expect(text).toContain(`<html lang="${language}">`)
      const embedded = /<script type="application\/json" id="texts">(.*?)<\/script>/s.exec(
        text,
      )?.[1]
      expect(JSON.parse(embedded ?? '')).toEqual(tables[language])
      const plain = /<noscript>(.*)<\/noscript>/s.exec(text)?.[1] ?? ''
      const { amountDue, open, exactAmount, reload } = tables[language]
      for (const words of [amountDue, open, exactAmount, reload])
        expect(plain).toContain(Bun.escapeHTML(words))
    },
  )

  test('is that of the tax country where the request asks for none, else English', async () => {
    const taxed = { ...body, taxCountry: 'AT' }
    const { id } = (await app.send('POST', '/v1/invoices', taxed)).json.data
    const spoken = async (path: string, asked: string) =>
      (await inLanguage(path, asked)).headers.get('content-language')
    expect(await spoken(`/pay/${id}`, '')).toBe('de')
    expect(await spoken(`/pay/${id}`, 'fr')).toBe('fr')
    expect(await spoken(`/pay/${invoiceId}`, '')).toBe('en')
  })

  test('is that of the page which says that there is no such invoice, too', async () => {
    const { status, headers, text } = await inLanguage('/pay/none', 'pl')
    expect([status, headers.get('content-language')]).toEqual([404, 'pl'])
    expect(text).toContain(tables.pl.noSuchInvoice)
  })

  test('does not change what programs read', async () => {
    const status = `/pay/${invoiceId}/status`
    const [german, english] = [await inLanguage(status, 'de'), await inLanguage(status, 'en')]
    expect(german.text).toBe(english.text)
    expect(german.headers.has('content-language')).toBe(false)
  })
})

describe('what pages are made of', () => {
  test('what is at the root leads to the dashboard', async () => {
    const { status, headers } = await fetch(app.url, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([302, '/dashboard'])
  })
})

async function session(key: string): Promise<string> {
  const { headers } = await app.keyless('POST', '/dashboard/session', undefined, {
    'x-api-key': key,
  })
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}
