import { afterEach, describe, expect, test } from 'bun:test'
import { setServers } from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEgress, type Egress } from '../../../src/http/egress/egress.ts'
import type { EgressRequest } from '../../../src/http/egress/exchange.ts'
import { authority, hooksTest } from '../../support/certificate.ts'
import { hasIPv6 } from '../../support/ipv6.ts'
import { startNameServer } from '../../support/name-server.ts'
import { startReceiver, startSocketReceiver } from '../../support/receiver.ts'
import { eventually } from '../../support/wait.ts'

const strict = createEgress({ allowPrivate: false })
const open = createEgress({ allowPrivate: true })

const request: EgressRequest = {
  method: 'POST',
  headers: { 'x-test': 'yes' },
  body: '{"a":1}',
  timeoutMs: 2_000,
  maxResponseBytes: 65_536,
}

const running: { stop(): unknown }[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
})

function receiver(answer?: Parameters<typeof startReceiver>[0]) {
  const started = startReceiver(answer)
  running.push(started)
  return started
}

async function socketReceiver(answer: (socket: Socket) => void) {
  const started = await startSocketReceiver(answer)
  running.push(started)
  return started
}

/** An egress guard that resolves every name to these addresses. */
function resolving(allowPrivate: boolean, ...addresses: string[]): Egress {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return createEgress({ allowPrivate, resolve: async () => found })
}

/** Sends one request through `egress`. */
async function sendBy(egress: Egress, url: string, request: EgressRequest) {
  const send = await egress.open(url, request.timeoutMs)
  return send(request)
}

async function refusal(egress: Egress, url: string): Promise<string | undefined> {
  const error = await egress.check(url).then(
    () => null,
    (reason) => reason,
  )
  if (error === null) return undefined
  expect(error).toMatchObject({ reason: 'invalid_request', details: [{ path: 'url' }] })
  return error.details[0].message
}

const loopbackSpellings = [
  'http://127.0.0.1/',
  'http://localhost/',
  'http://ＬＯＣＡＬＨＯＳＴ/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http:\\\\127.0.0.1\\x',
  ' http://127.0.0.1 ',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
]

describe('refused', () => {
  test('every spelling of loopback, unless private targets are allowed', async () => {
    for (const url of loopbackSpellings) {
      expect(await refusal(strict, url), url).toBe(
        'points to a loopback address: only public addresses are called',
      )
      expect(await refusal(open, url), url).toBeUndefined()
    }
  })

  test.each([
    ['0.0.0.0', 'an unspecified'],
    ['192.0.2.1', 'a reserved'],
    ['[2001::1]', 'a reserved'],
  ])('%s, as %s address', async (host, what) => {
    const problem = `points to ${what} address: it is never called`
    expect(await refusal(open, `http://${host}/`)).toBe(problem)
  })

  test('private networks, unless private targets are allowed', async () => {
    const hosts = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '[fc00::1]']
    for (const host of hosts) {
      expect(await refusal(strict, `http://${host}/`), host).toMatch(/^points to a /)
      expect(await refusal(open, `http://${host}/`), host).toBeUndefined()
    }
  })

  test('metadata, link-local and other addresses that are nobody’s receiver, always', async () => {
    const hosts = [
      '169.254.169.254 2852039166 0xA9FEA9FE 169.254.0.1 100.100.100.200 168.63.129.16 192.0.0.192',
      '[::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::] [fe80::1]',
      '[fd00:ec2::254] [fd00:42::42] [fd20:ce::254] 0.0.0.0 0 [::] 224.0.0.1 240.0.0.1',
      '255.255.255.255 198.18.0.1 [ff02::1] [2001::1] [fec0::1] [4000::1]',
      '[::ffff:0:127.0.0.1] [::127.0.0.1]',
    ]
      .join(' ')
      .split(' ')
    for (const host of hosts) {
      expect(await refusal(open, `http://${host}/latest/meta-data`), host).toMatch(
        /^points to an? [a-z][a-z -]+ address:/,
      )
      await expect(sendBy(open, `http://${host}/`, request), host).rejects.toThrow('points to a')
    }
  })

  test('a name of which any address is forbidden', async () => {
    const egress = resolving(false, '93.184.216.34', '2606:4700::1111', '10.0.0.1')
    expect(await refusal(egress, 'https://hooks.test/')).toBe(
      'points to a private address: only public addresses are called',
    )
    await expect(sendBy(egress, 'https://hooks.test/', request)).rejects.toThrow('private')
  })

  test('other protocols, credentials, and what is no URL or too long', async () => {
    const cases = {
      'file:///etc/passwd': 'must start with http:// or https://',
      'data:text/plain,x': 'must start with http:// or https://',
      'ftp://example.com/': 'must start with http:// or https://',
      'http://user:secret@example.com/': 'must not contain credentials',
      'http://user@example.com/': 'must not contain credentials',
      'not a url': 'must be an absolute URL, such as https://example.com/hooks',
      'http://': 'must be an absolute URL, such as https://example.com/hooks',
      [`http://example.com/${'x'.repeat(2_030)}`]: 'must have at most 2,048 characters',
    }
    for (const [url, message] of Object.entries(cases))
      expect(await refusal(open, url), url).toBe(message)
  })

  test.each([
    ['metadata.google.internal', 'http://metadata.google.internal/computeMetadata/v1/'],
    ['one in capitals that ends in a dot', 'http://Metadata.Google.Internal./'],
    ['metadata.goog', 'http://metadata.goog/'],
    ['instance-data', 'http://instance-data.ec2.internal/latest'],
  ])('the name of a metadata service, %s, though it does not resolve', async (_, url) => {
    const problem = 'points to a metadata address: it is never called'
    expect(await refusal(open, url)).toBe(problem)
    await expect(sendBy(open, url, request)).rejects.toThrow(problem)
  })

  test.each([
    ...['http://localhost./', 'http://a.localhost/', 'http://a.LOCALHOST.:80/'],
    ...['http://printer.local./', 'http://localhost../', 'http://intranet./', 'http://intranet/'],
  ])('a local name that does not resolve, unless private targets are allowed: %s', async (url) => {
    const unresolved = (allowPrivate: boolean) =>
      createEgress({ allowPrivate, resolve: () => Promise.reject(new Error('unknown')) })
    const problem = 'points to a loopback address: only public addresses are called'
    expect(await refusal(unresolved(false), url)).toBe(problem)
    expect(await refusal(unresolved(true), url)).toBeUndefined()
  })

  test.each([
    ['http://example.com:0/', 'must not name port 0'],
    ['http://exam\tple.com/', 'must not contain control characters'],
    ['http://example.com/\n', 'must not contain control characters'],
    ['\u0000http://example.com/', 'must not contain control characters'],
    ['http://example.com/\u007f', 'must not contain control characters'],
  ])('%j', async (url, problem) => {
    expect(await refusal(open, url)).toBe(problem)
  })

  test('a name that pointed elsewhere when it was checked', async () => {
    const target = receiver()
    const answers = ['93.184.216.34', '127.0.0.1']
    const egress = createEgress({
      allowPrivate: false,
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    })
    const { port } = new URL(target.url)
    const url = `http://flips.test:${port}/hook`
    await egress.check(url)
    await expect(sendBy(egress, url, request)).rejects.toThrow('points to a loopback address')
    expect(target.received).toHaveLength(0)
  })
})

describe('let through', () => {
  test('public addresses', async () => {
    for (const host of ['8.8.8.8', '[2606:4700::1111]', '[64:ff9b::808:808]'])
      expect(await refusal(strict, `https://${host}/`), host).toBeUndefined()
  })

  test('a name that does not resolve yet; sending to it fails', async () => {
    const egress = createEgress({
      allowPrivate: false,
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    })
    expect(await refusal(egress, 'https://soon.test/hook')).toBeUndefined()
    await expect(sendBy(egress, 'https://soon.test/hook', request)).rejects.toThrow()
  })
})

describe('sent', () => {
  test('body and headers, to the checked address under the name’s Host, looked up once', async () => {
    const target = receiver(() => new Response('thanks', { headers: { 'retry-after': '7' } }))
    const { port } = new URL(target.url)
    const lookups: string[] = []
    const egress = createEgress({
      allowPrivate: true,
      async resolve(host) {
        lookups.push(host)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const answer = await sendBy(egress, `http://hooks.test:${port}/a/b?c=d`, request)
    expect(answer).toMatchObject({ status: 200, excerpt: 'thanks' })
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(target.received).toMatchObject([
      { body: '{"a":1}', headers: { host: `hooks.test:${port}`, 'x-test': 'yes' } },
    ])
    expect(lookups).toEqual(['hooks.test'])
  })

  test('to the next address where the first is not reached', async () => {
    const target = receiver()
    const { port } = new URL(target.url)
    // Nobody listens at one, and the other is a broadcast address, which is unreachable.
    const others = ['127.0.0.2', '127.255.255.255']
    for (const other of others) {
      const egress = resolving(true, other, '127.0.0.1')
      expect((await sendBy(egress, `http://hooks.test:${port}/`, request)).status).toBe(204)
    }
    expect(target.received).toHaveLength(others.length)
  })

  test('to a few addresses of a name that has very many, all of which are checked', async () => {
    const target = receiver()
    const { port } = new URL(target.url)
    const many = (start: string) =>
      Array.from({ length: 1_000 }, (_, n) => `${start}.${n >> 8}.${n & 255}`)
    const url = `http://hooks.test:${port}/`
    const egress = resolving(true, ...many('127.9'), '127.0.0.1')
    await expect(sendBy(egress, url, request)).rejects.toThrow('ECONNREFUSED')
    expect(target.received).toHaveLength(0)
    const guarded = resolving(false, ...many('8.8'), '127.0.0.1')
    await expect(sendBy(guarded, url, request)).rejects.toThrow('points to a loopback address')
  })

  test.skipIf(!hasIPv6)(
    'to an IPv6 address as well, however many IPv4 addresses there are',
    async () => {
      const server = Bun.serve({ port: 0, hostname: '::1', fetch: () => new Response('by IPv6') })
      running.push({ stop: () => server.stop(true) })
      const dead = Array.from({ length: 100 }, (_, n) => `127.9.0.${n}`)
      const url = `http://hooks.test:${server.port}/`
      const { excerpt } = await sendBy(resolving(true, ...dead, '::1'), url, request)
      expect(excerpt).toBe('by IPv6')
    },
  )

  test('many over one connection', async () => {
    const target = await socketReceiver((socket) => {
      const answer = () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      socket.on('data', answer)
      answer()
    })
    for (let n = 0; n < 5; n++) expect((await sendBy(open, target.url, request)).status).toBe(204)
    expect(target.count().all).toBe(1)
  })

  test('a redirect is an answer and is not followed', async () => {
    const target = receiver()
    for (const location of [target.url, 'file:///etc/passwd', 'http://169.254.169.254/']) {
      for (const status of [301, 302, 303, 307, 308]) {
        const from = receiver(() => new Response(null, { status, headers: { location } }))
        expect((await sendBy(open, from.url, request)).status).toBe(status)
      }
    }
    expect(target.received).toHaveLength(0)
  })
})

test.each([2, 5])('a name server that says it cannot answer (%d) is passed over', async (code) => {
  const failing = await startNameServer({})
  const good = await startNameServer({ 'shop.test': '127.0.0.1' })
  running.push(good, failing)
  failing.refuse(code)
  setServers([failing.server, failing.server, good.server])
  const target = receiver()
  const { port } = new URL(target.url)
  expect((await sendBy(open, `http://shop.test:${port}/`, request)).status).toBe(204)
  good.refuse(code)
  await expect(sendBy(open, `http://shop.test:${port}/`, request)).rejects.toThrow(
    'the host name does not resolve',
  )
})

describe('cut off', () => {
  test.each([
    ['never answers', () => {}],
    ['sends a byte now and then', (socket: Socket) => dribble(socket, 'H')],
  ])('a receiver that %s, at the time limit', async (_, answer) => {
    const target = await socketReceiver(answer)
    const startedMs = performance.now()
    await expect(sendBy(open, target.url, { ...request, timeoutMs: 300 })).rejects.toThrow(
      'no answer within the time limit',
    )
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    await eventually(() => target.count().open === 0)
  })

  test('a name server that never answers, at the time limit', async () => {
    const egress = createEgress({ allowPrivate: true, resolve: () => new Promise(() => {}) })
    await expect(
      sendBy(egress, 'http://hooks.test/', { ...request, timeoutMs: 200 }),
    ).rejects.toThrow('not looked up in time')
  })

  test('names whose name server is silent hold up no other name, no file and no crypto', async () => {
    const names = await startNameServer({ 'shop.test': '127.0.0.1' })
    running.push(names)
    const target = receiver()
    let over = 0
    const dead = Array.from({ length: 64 }, (_, n) =>
      sendBy(open, `http://dead${n}.test/`, { ...request, timeoutMs: 60_000 }).finally(
        () => over++,
      ),
    )
    const outcomes = Promise.allSettled(dead)
    await eventually(() => names.asked.includes('dead63.test'))

    const url = target.url.replace('127.0.0.1', 'shop.test')
    expect((await sendBy(open, url, request)).status).toBe(204)
    await readFile(import.meta.path)
    await crypto.subtle.digest('SHA-256', new Uint8Array(9))
    expect(over).toBe(0)

    names.release()
    const reasons = (await outcomes).map((one) => one.status === 'rejected' && one.reason.message)
    expect(new Set(reasons)).toEqual(new Set(['the host name does not resolve']))
  })

  test('a name that many ask for at once is asked for once, and not much is looked up to be checked', async () => {
    const names = await startNameServer({ 'shop.test': '127.0.0.1', 'more.test': '127.0.0.1' })
    running.push(names)
    const target = receiver()
    const { port } = new URL(target.url)
    const many = Array.from({ length: 20 }, () =>
      sendBy(open, `http://more.test:${port}/`, request),
    )
    expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([204]))
    expect(names.asked.filter((name) => name === 'more.test')).toHaveLength(1)

    const checks = Array.from({ length: 50 }, (_, n) => strict.check(`http://silent${n}.test/`))
    // With as many under way, a name passes; it is refused once it is called, and a number at once.
    expect(await refusal(strict, 'http://shop.test/')).toBeUndefined()
    await expect(sendBy(strict, 'http://shop.test/', request)).rejects.toThrow('loopback')
    expect(await refusal(strict, 'http://127.0.0.1/')).toMatch('loopback')
    await Promise.all(checks)
    expect(new Set(names.asked.filter((name) => name.startsWith('silent'))).size).toBe(32)

    names.release()
    await eventually(
      async () => (await refusal(strict, 'http://shop.test/'))?.includes('loopback') === true,
      60_000,
    )
  })

  test('a body of a byte now and then, at the time limit: the status stands', async () => {
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      dribble(socket, 'x')
    })
    const answer = await sendBy(open, target.url, { ...request, timeoutMs: 1_000 })
    expect(answer.status).toBe(200)
    expect(answer.excerpt).toMatch(/^x{1,10}$/)
    await eventually(() => target.count().open === 0)
  })

  test('a body of 100 MB, after the cap, and the memory never holds it', async () => {
    let sent = 0
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 104857600\r\n\r\n')
      const megabyte = Buffer.alloc(2 ** 20, 'x')
      const more = () => {
        while (!socket.destroyed && sent < 100) {
          sent++
          if (!socket.write(megabyte)) return
        }
      }
      socket.on('drain', more)
      more()
    })
    const answer = await sendBy(open, target.url, request)
    expect(answer.status).toBe(500)
    expect(answer.excerpt).toBe('x'.repeat(65_536))
    await eventually(() => target.count().open === 0)
    expect(sent).toBeLessThan(50)
  })

  test('a packed body is never unpacked', async () => {
    const packed = Bun.gzipSync(Buffer.alloc(10_000_000))
    const headers = { 'content-encoding': 'gzip' }
    const target = receiver(() => new Response(packed, { headers }))
    const { status, excerpt } = await sendBy(open, target.url, request)
    expect(status).toBe(200)
    expect(excerpt.length).toBeLessThan(packed.length + 1)
  })

  test('a connection that is reset, closed or refused, with its code', async () => {
    const reset = await socketReceiver((socket) => socket.resetAndDestroy())
    const closed = await socketReceiver((socket) => socket.end())
    const gone = await startSocketReceiver(() => {})
    gone.stop()
    await expect(sendBy(open, reset.url, request)).rejects.toThrow('ECONNRESET')
    await expect(sendBy(open, closed.url, request)).rejects.toThrow('ECONNRESET')
    await expect(sendBy(open, gone.url, request)).rejects.toThrow('ECONNREFUSED')
  })

  test('a body that breaks off: the status stands', async () => {
    const target = await socketReceiver((socket) => {
      socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nhalf')
    })
    expect(await sendBy(open, target.url, request)).toMatchObject({ status: 202 })
  })
})

describe('whatever the environment says', () => {
  test('no proxy sees a request, and a certificate must be the name’s, also on a kept connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-egress-'))
    const authorityFile = join(folder, 'authority.pem')
    writeFileSync(authorityFile, authority)
    const proxy = receiver()
    const secure = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: hooksTest,
      fetch: (incoming) => new Response(`for ${incoming.headers.get('host')}`),
    })
    const plain = receiver(() => new Response('plain'))
    running.push(
      { stop: () => secure.stop(true) },
      { stop: () => rmSync(folder, { recursive: true }) },
    )
    const { origin } = new URL(proxy.url)
    const { port } = secure
    const urls = [
      `https://hooks.test:${port}/`,
      `https://other.test:${port}/`,
      `https://127.0.0.1:${port}/`,
      `https://hooks.test:${port}/`,
      `http://hooks.test:${new URL(plain.url).port}/`,
    ]
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'egress-child.ts'), JSON.stringify(urls)],
      {
        env: {
          PATH: process.env.PATH,
          NODE_EXTRA_CA_CERTS: authorityFile,
          ...{ HTTP_PROXY: origin, HTTPS_PROXY: origin, http_proxy: origin, https_proxy: origin },
        },
        stdout: 'pipe',
      },
    )
    expect(JSON.parse(await new Response(child.stdout).text())).toEqual([
      `200 for hooks.test:${port}`,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      `200 for hooks.test:${port}`,
      '200 plain',
    ])
    expect(proxy.received).toHaveLength(0)
  })
})

function dribble(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 100)
  socket.on('close', () => clearInterval(timer))
}

describe('forwarded', () => {
  const forward = {
    method: 'GET',
    headers: {},
    body: null,
    isOnce: true,
    timeoutMs: 5_000,
    signals: [],
  }

  test('an answer is there with its headers, and its body may take longer than the limit', async () => {
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab')
      setTimeout(() => socket.write('cd'), 1_500)
    })
    const response = await open.forward(target.url, { ...forward, timeoutMs: 1_000 })
    expect(await response.text()).toBe('abcd')
  })

  test('an answer is broken off, at its source as well, by any of those who may', async () => {
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab')
    })
    const [one, other] = [new AbortController(), new AbortController()]
    const signals = [one.signal, other.signal]
    const response = await open.forward(target.url, { ...forward, signals })
    other.abort()
    await expect(response.text()).rejects.toThrow()
    await eventually(() => target.count().open === 0)
  })

  test('what never answers is a timeout; where nobody is, unreachable; what hangs up, broken', async () => {
    const silent = await socketReceiver(() => {})
    const rude = await socketReceiver((socket) => socket.destroy())
    const faultOf = (url: string, timeoutMs = 5_000) =>
      open.forward(url, { ...forward, timeoutMs }).then(
        () => null,
        ({ fault }) => fault,
      )
    expect(await faultOf(silent.url, 300)).toBe('timeout')
    expect(await faultOf(rude.url)).toBe('broken')
    expect(await faultOf('http://127.0.0.1:1/')).toBe('unreachable')
    expect(await faultOf('http://nobody.invalid/')).toBe('unreachable')
  })

  test('looking the name up and waiting for the answer share one limit', async () => {
    const target = receiver(async () => {
      await Bun.sleep(1_600)
      return new Response('late')
    })
    const egress = createEgress({
      allowPrivate: true,
      async resolve() {
        await Bun.sleep(1_000)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const url = target.url.replace('127.0.0.1', 'shop.test')
    const answer = egress.forward(url, { ...forward, timeoutMs: 2_000 })
    await expect(answer).rejects.toMatchObject({ fault: 'timeout' })
  })

  test('the caller may give it up', async () => {
    const silent = await socketReceiver(() => {})
    const going = new AbortController()
    setTimeout(() => going.abort(), 50)
    const answer = open.forward(silent.url, { ...forward, signals: [going.signal] })
    await expect(answer).rejects.toMatchObject({ fault: 'broken' })
  })

  test('forbidden targets are refused as when they are called', async () => {
    await expect(strict.forward('http://127.0.0.1/', forward)).rejects.toMatchObject({
      reason: 'invalid_request',
    })
  })
})
