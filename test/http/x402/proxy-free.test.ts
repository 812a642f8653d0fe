import { describe, expect, test } from 'bun:test'
import { refused, testApp } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import {
  aPayment,
  buyerIn,
  option,
  requiring,
  through,
  useServer,
} from '../../support/x402-proxy.ts'

type Handler = (request: Request) => Response | Promise<Response>

let answer: Handler = () => new Response('free')
const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy } = buyerIn(app)
const upstream = useServer((request) => answer(request))

function proxied(path: string, init: RequestInit = {}, handler?: Handler): Promise<Response> {
  if (handler) answer = handler
  const headers = { authorization: `Bearer ${app.account.apiKey}`, ...(init.headers as object) }
  const target = through(new URL(path, upstream.url).href)
  return fetch(app.url + target, { redirect: 'manual', ...init, headers })
}

/** The URL to which a redirect leads through the proxy. */
function ledTo({ headers, url }: Response): string | null {
  const next = new URL(headers.get('location') ?? '', url)
  expect(next.pathname).toBe('/api/x402/proxy')
  return next.searchParams.get('url')
}

const sourceScript = `
  const piece = new Uint8Array(65536).fill(7)
  const body = (left) => new ReadableStream({ pull: (to) => (left-- > 0 ? to.enqueue(piece) : to.close()) })
  console.log(Bun.serve({ port: 0, fetch: () => new Response(body(1600)) }).port)`
const sinkScript = `
  const { body } = await fetch(process.argv[1], { headers: { 'x-api-key': process.argv[2] } })
  let length = 0
  for await (const chunk of body) { length += chunk.length; await Bun.sleep(1) }
  process.stdout.write(String(length))`

function child(script: string, ...parameters: string[]) {
  return Bun.spawn([process.execPath, '-e', script, ...parameters], { stdout: 'pipe' })
}

describe('what is free', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'passes with method, query, body and type: %s',
    async (method) => {
      const sent = { method, headers: { 'content-type': 'text/x-odd' }, body: '{"not json' }
      const said = { 'x-theirs': 'yes', 'content-type': 'text/x-answer' }
      const response = await proxied('/a/b?c=d%20e', sent, async (request) => {
        const path = request.url.slice(upstream.url.href.length)
        const seen = [request.method, path, request.headers.get('content-type')]
        const text = [...seen, await request.text()].join(' ')
        return new Response(text, { status: 207, headers: said })
      })
      expect(response.status).toBe(207)
      expect(response.headers.toJSON()).toMatchObject(said)
      expect(await response.text()).toBe(`${method} a/b?c=d%20e text/x-odd {"not json`)
    },
  )

  test('passes a body with its length', async () => {
    const told = async (size: number) => {
      const body = 'x'.repeat(size)
      const response = await proxied('/', { method: 'POST', body }, async ({ headers, body }) => {
        await new Response(body).arrayBuffer()
        return new Response(headers.get('content-length') ?? headers.get('transfer-encoding'))
      })
      return response.text()
    }
    expect(await told(7)).toBe('7')
    expect(await told(8_000_000)).toBe('8000000')
  })

  test('passes for HEAD and OPTIONS, and without a body', async () => {
    const headers = { 'x-length': '5' }
    const head = await proxied('/', { method: 'HEAD' }, () => new Response(null, { headers }))
    expect([head.status, head.headers.get('x-length')]).toEqual([200, '5'])
    const empty = await proxied('/', {}, () => new Response(null, { status: 204 }))
    expect([empty.status, await empty.text()]).toEqual([204, ''])
    const options = await proxied('/', { method: 'OPTIONS' }, ({ method }) => new Response(method))
    expect(await options.text()).toBe('OPTIONS')
  })

  test('keeps the upstream’s type and length: none is made up', async () => {
    const lengthy = { 'content-length': '5000000000', 'content-type': 'video/x' }
    for (const [method, said, told] of [
      ['GET', { status: 204 }, [204, null, null]],
      ['GET', { status: 304 }, [304, null, null]],
      ['HEAD', { headers: lengthy }, [200, 'video/x', '5000000000']],
      ['HEAD', { headers: { 'transfer-encoding': 'chunked' } }, [200, null, null]],
    ] as const) {
      const { status, headers } = await proxied('/', { method }, () => new Response(null, said))
      const about = [headers.get('content-type'), headers.get('content-length')]
      expect([status, ...about]).toEqual([...told])
    }
  })

  test('is not followed where it redirects', async () => {
    const response = await proxied('/', {}, () => Response.redirect('http://169.254.169.254/', 302))
    expect([response.status, ledTo(response)]).toEqual([302, 'http://169.254.169.254/'])
  })

  test('is redirected within the upstream, not to a path of ours', async () => {
    const moved = () => new Response(null, { status: 308, headers: { location: 'c?d=e#f' } })
    const response = await proxied('/a/b', {}, moved)
    expect(ledTo(response)).toBe(new URL('/a/c?d=e#f', upstream.url).href)
  })

  // Clients such as Python's urllib send either header on to another host, and `xn--a.test` is a
  // host name to them.
  test.each(['authorization', 'x-api-key'])(
    'leads whoever sends a key in %s nowhere but through the proxy',
    async (name) => {
      const key = app.account.apiKey
      const headers = { [name]: name === 'authorization' ? `Bearer ${key}` : key }
      const path = through(upstream.url.href)
      for (const [target, location] of [
        ['//thief.test/x', '?url=http%3A%2F%2Fthief.test%2Fx'],
        ['https://thief.test/x', '?url=https%3A%2F%2Fthief.test%2Fx'],
        ['http://xn--a.test/x', null],
        ['http://a b.test/', null],
        ['//[thief.test/', null],
        ['http://a:b/', null],
      ] as const) {
        answer = () => new Response(null, { status: 302, headers: { location: target } })
        const response = await fetch(app.url + path, { redirect: 'manual', headers })
        expect([response.status, response.headers.get('location')], target).toEqual([302, location])
      }
    },
  )

  test('gives a key away to nobody that it redirects to', async () => {
    const seen: Headers[] = []
    const fetchElsewhere = ({ headers }: Request) => {
      seen.push(headers)
      return new Response('elsewhere')
    }
    const elsewhere = Bun.serve({ port: 0, fetch: fetchElsewhere })
    const location = `http://localhost:${elsewhere.port}/?a=b`
    answer = () => new Response(null, { status: 302, headers: { location } })
    for (const headers of [
      { 'x-api-key': app.account.apiKey },
      { authorization: `Bearer ${app.account.apiKey}` },
    ]) {
      const response = await fetch(app.url + through(upstream.url.href), { headers })
      expect(await response.text()).toBe('elsewhere')
    }
    await elsewhere.stop(true)
    expect(seen).toHaveLength(2)
    expect(JSON.stringify(seen.map((headers) => [...headers]))).not.toContain(app.account.apiKey)
  })

  test('is found through a redirect to a long URL, as presigned ones are', async () => {
    const asked: string[] = []
    const target = `/file?signature=${'%2Fa'.repeat(1_500)}`
    const handler = ({ url }: Request) => {
      const { pathname, search } = new URL(url)
      asked.push(pathname + search)
      if (pathname === '/file') return new Response('the file')
      return new Response(null, { status: 302, headers: { location: target } })
    }
    const response = await proxied('/moved', { redirect: 'follow' }, handler)
    expect([response.status, await response.text()]).toEqual([200, 'the file'])
    expect(asked).toEqual(['/moved', target])
    const tooLong = await proxied(`/${'x'.repeat(8_192)}`)
    expect(tooLong.status).toBe(400)
    expect(await tooLong.text()).toContain('must have at most 8,192 characters')
  })

  test('arrives piece by piece: the first is here before the last is sent', async () => {
    const last = Promise.withResolvers<string>()
    const response = await proxied('/', {}, () => {
      async function* events() {
        yield 'data: first\n\n'
        yield await last.promise
      }
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(events(), { headers })
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('data: first\n\n')
    last.resolve('data: last\n\n')
    expect((await reader.read()).value).toBe('data: last\n\n')
    expect((await reader.read()).done).toBe(true)
  })

  test('may be 100 MB, and memory never holds it', async () => {
    // Source and sink are separate processes, so memory that grows in this one is the service's.
    const source = child(sourceScript)
    const port = new TextDecoder().decode((await source.stdout.getReader().read()).value).trim()
    const path = through(`http://127.0.0.1:${port}/`)
    Bun.gc(true)
    const before = process.memoryUsage().rss
    let most = 0
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 10)
    const sink = child(sinkScript, app.url + path, app.account.apiKey)
    expect(await new Response(sink.stdout).text()).toBe('104857600')
    clearInterval(look)
    source.kill()
    expect((most - before) / 1_048_576).toBeLessThan(50)
  })

  test('ends for the upstream when the caller goes away', async () => {
    const cancelled = Promise.withResolvers<void>()
    const response = await proxied('/', {}, () => {
      const body = new ReadableStream({
        async pull(controller) {
          controller.enqueue('tick\n')
          await Bun.sleep(10)
        },
        cancel: () => cancelled.resolve(),
      })
      return new Response(body)
    })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    await cancelled.promise
  })
})

test('401 for a session of the dashboard: a page must not make a browser that is logged in send or pay for anything', async () => {
  const login = await app.send('POST', '/dashboard/session')
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';')
  const headers = { cookie, 'x-requested-with': 'dashboard' }
  expect((await app.keyless('GET', '/api/invoices', undefined, headers)).status).toBe(200)
  let reached = 0
  answer = () => {
    reached++
    return new Response('free')
  }
  const path = through(upstream.url.href)
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const refusal = await app.keyless(method, path, undefined, headers)
    expect([method, ...refused(refusal)]).toEqual([method, 401, 'UNAUTHORIZED'])
  }
  expect(reached).toBe(0)
  const withKey = { ...headers, 'x-api-key': app.account.v1Key }
  expect((await app.keyless('GET', path, undefined, withKey)).text).toBe('free')
})

describe('headers', () => {
  const seenBy = async (headers: Record<string, string>) => {
    const response = await proxied('/', { headers }, (request) =>
      Response.json(Object.fromEntries(request.headers)),
    )
    return (await response.json()) as Record<string, string>
  }

  test('of the caller’s key, cookies, budget and buyer never reach the upstream', async () => {
    const seen = await seenBy({
      'x-api-key': app.account.apiKey,
      cookie: 'dashboard=secret',
      'x-agent-id': 'agent-7',
      'x-invoice-company-name': 'Ada',
      'x-invoice-country': 'DE',
      'x-forwarded-for': '10.0.0.1',
      'proxy-authorization': 'Basic canary',
      'x-mine': 'yes',
    })
    expect(seen['x-mine']).toBe('yes')
    expect(seen.host).toBe(new URL(upstream.url).host)
    const { apiKey, v1Key } = app.account
    for (const canary of [apiKey, v1Key, 'secret', 'agent-7', 'Ada', 'canary', '10.0'])
      expect(JSON.stringify(seen)).not.toContain(canary)
    expect(Object.keys(seen).filter((name) => /invoice|forwarded|cookie|auth/.test(name))).toEqual(
      [],
    )
  })

  test('between two hops end there', async () => {
    const dropped = {
      'x-hop': 'gone',
      'set-cookie': 'a=b',
      'strict-transport-security': 'max-age=1',
      'x-invoice-id': 'a lie',
      'x-receipt-id': 'a lie',
    }
    const replaced = { 'x-ratelimit-remaining': '-1', 'x-request-id': 'theirs' }
    const said = { connection: 'x-hop', ...dropped, ...replaced, etag: '"theirs"' }
    const { headers } = await proxied('/', {}, () => new Response('ok', { headers: said }))
    expect(Object.keys(dropped).filter((name) => headers.has(name))).toEqual([])
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
    expect(headers.get('x-request-id')).not.toBe('theirs')
    expect(headers.get('etag')).toBe('"theirs"')
  })
})

test('what an upstream says to a web server, balancer or cache does not reach the one before us', async () => {
  const orders = {
    'x-accel-redirect': '/internal/secrets',
    'x-accel-expires': '86400',
    'cdn-cache-control': 'max-age=86400',
    'cloudflare-cdn-cache-control': 'max-age=86400',
    'edge-control': 'max-age=86400',
    'surrogate-key': 'a',
    'surrogate-control': 'max-age=86400, content="ESI/1.0"',
    'x-sendfile': '/etc/passwd',
    'x-sendfile2': '/etc/passwd 0-',
    'x-lighttpd-send-file': '/etc/passwd',
    'x-litespeed-location': '/internal/secrets',
    'x-litespeed-purge': '*',
    'x-reproxy-url': 'http://127.0.0.1/',
    'x-envoy-immediate-health-check-fail': 'true',
  }
  const { headers } = await proxied('/', {}, () => {
    return new Response('ok', { headers: { ...orders, 'x-theirs': 'yes' } })
  })
  expect(Object.keys(orders).filter((name) => headers.has(name))).toEqual([])
  expect(headers.get('x-theirs')).toBe('yes')
})

describe('in a browser, an answer', () => {
  const page = () =>
    new Response('<script>alert(origin)</script>', {
      headers: {
        'content-type': 'text/html',
        'content-security-policy': "script-src 'unsafe-inline'",
        'x-content-type-options': 'sniff',
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'service-worker-allowed': '/',
        'no-vary-search': 'params',
        'use-as-dictionary': 'match="/*"',
        'clear-site-data': '"*"',
        'report-to': '{"group":"a","max_age":1,"endpoints":[{"url":"https://a.example"}]}',
        'set-cookie': 'quittance_session=theirs; Path=/',
        'cache-control': 'public, max-age=60',
        vary: 'Accept',
      },
    })

  test('is none of our pages: nothing in it runs, and no other site may read it', async () => {
    const { headers } = await proxied('/', {}, page)
    const ours = /^(?:content-length|date|transfer-encoding|x-ratelimit-.*|x-request-id)$/
    expect([...headers].filter(([name]) => !ours.test(name)).toSorted()).toEqual([
      ['cache-control', 'private, max-age=60'],
      ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
      ['content-type', 'text/html'],
      ['vary', 'Accept, Authorization, X-API-Key, PAYMENT-SIGNATURE, X-PAYMENT'],
      ['x-content-type-options', 'nosniff'],
    ])
  })

  test('sets no cookie, however many it tries to', async () => {
    const { headers } = await proxied('/', {}, () => {
      const answered = page()
      answered.headers.append('set-cookie', 'a=b')
      return answered
    })
    expect(headers.getSetCookie()).toEqual([])
  })
})

describe('400 INVALID_REQUEST', () => {
  test.each([
    ['no url', '', 'url'],
    ['two urls', '?url=http://a.example&url=http://b.example', 'url'],
    ['a relative url', '?url=/report', 'url'],
    ['another protocol', '?url=file:///etc/passwd', 'url'],
    ['credentials', '?url=http://a:b@example.com/', 'url'],
    ['a url that is not encoded', '?url=http://a.example/?b=c&d=e', 'url'],
    ['a metadata address', '?url=http://169.254.169.254/', 'url'],
  ])('for %s', async (_, query, path) => {
    const answer = await app.send('GET', `/api/x402/proxy${query}`)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(path)
  })

  test.each([
    ['X-Invoice-Country', 'Germany'],
    ['X-Invoice-Country', 'ZZ'],
    ['X-Invoice-Id', 'seven'],
    ['X-Agent-Id', 'a'.repeat(257)],
    ['X-Agent-Id', `${'a'.repeat(256)} b`],
    ['PAYMENT-SIGNATURE', '{"txHash":"0x1"'],
    ['PAYMENT-SIGNATURE', '[]'],
    ['PAYMENT-SIGNATURE', '{}'],
    ['PAYMENT-SIGNATURE', 'not base64 of anything'],
    ['PAYMENT-SIGNATURE', `{"txHash":"0x${'1'.repeat(64)}"}`],
    ['X-PAYMENT', btoa('{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":{}}')],
  ])('for %s: %s', async (name, value) => {
    const answer = await buy(upstream.url.href, { [name]: value })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(name)
  })

  test('for two payments at once', async () => {
    const both = { 'payment-signature': '{}', 'x-payment': '{}' }
    const { json } = await buy(upstream.url.href, both)
    expect(json.error.details[0].path).toBe('PAYMENT-SIGNATURE')
  })
})

describe('a 402 that cannot be paid through us', () => {
  const sepolia = requiring([{ ...option, network: 'eip155:84532', asset: 'USDC' }])
  test.each([
    ['nothing to accept', {}, '{"x402Version":2,"accepts":[]}'],
    ['an unknown network', { 'payment-required': sepolia }, ''],
  ])('is 502 UPSTREAM_UNSUPPORTED: %s', async (_, headers, body) => {
    const response = await proxied('/', {}, () => new Response(body, { status: 402, headers }))
    const { error } = (await response.json()) as { error: { code: string } }
    expect([response.status, error.code]).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
  })
})

describe('Circle Gateway', () => {
  // As @circle-fin/x402-batching 3.3.0 offers it.
  const gateway = {
    ...option,
    maxTimeoutSeconds: 345_600,
    extra: {
      name: 'GatewayWalletBatched',
      version: '1',
      verifyingContract: '0x77777777dcc4d5a8b6e418fd04d8997ef11000ee',
    },
  }
  const demanding = (accepts: readonly object[]) => () =>
    new Response('{}', { status: 402, headers: { 'payment-required': requiring(accepts) } })

  test('is not paid: 502 UPSTREAM_UNSUPPORTED names what was offered, with the 402’s own header', async () => {
    answer = demanding([gateway, { scheme: 'upto', network: 'eip155:8453', asset: 7 }])
    const refusal = await buy(upstream.url.href)
    expect(refused(refusal)).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
    const { network, asset } = option
    expect(refusal.json.error.details.offered).toEqual([
      { scheme: 'exact', network, asset, name: 'GatewayWalletBatched', unsupported: ['extra'] },
      {
        ...{ scheme: 'upto', network, asset: null, name: null },
        unsupported: ['scheme', 'asset', 'amount', 'payTo'],
      },
    ])
    expect(refusal.headers.get('payment-required')).toBe(
      requiring([gateway, { scheme: 'upto', network, asset: 7 }]),
    )
  })

  test('is passed over for an option behind it that can be paid', async () => {
    answer = demanding([gateway, { ...option, amount: '20000' }])
    const { status, json } = await buy(upstream.url.href)
    expect([status, json.invoice.paymentDetails.amountDue]).toEqual([402, '0.02'])
  })

  test('gets no payment signed for it: nothing is forwarded or counted', async () => {
    let asked = 0
    answer = () => {
      asked++
      return demanding([gateway])()
    }
    const payload = JSON.parse(atob(aPayment()['payment-signature'] ?? ''))
    const signed = btoa(JSON.stringify({ ...payload, accepted: gateway }))
    const refusal = await buy(upstream.url.href, { 'payment-signature': signed })
    expect([...refused(refusal), asked]).toEqual([400, 'INVALID_REQUEST', 0])
  })
})

test('a price on Ethereum is invoiced like any other', async () => {
  const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  const onEthereum = { ...option, network: 'eip155:1', asset: usdc }
  answer = () =>
    new Response('{}', { status: 402, headers: { 'payment-required': requiring([onEthereum]) } })
  const { status, json } = await buy(upstream.url.href)
  const { chain, paymentUri } = json.invoice.paymentDetails
  expect([status, chain]).toEqual([402, 'ethereum'])
  expect(paymentUri).toStartWith(`ethereum:${usdc}@1/transfer`)
  expect((await app.send('GET', `/api/invoices/${json.invoice.id}`)).json.id).toBe(json.invoice.id)
})

test('502 UPSTREAM_FAILED when nobody is there', async () => {
  expect(refused(await buy('http://127.0.0.1:1/'))).toEqual([502, 'UPSTREAM_FAILED'])
})

test('private targets are refused in production', async () => {
  const production = await testApp({ ROLE: 'http', NODE_ENV: 'production' })
  const answer = await buyerIn(production).buy(upstream.url.href)
  await production.stop()
  expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
})
