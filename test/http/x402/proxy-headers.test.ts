import { describe, expect, test } from 'bun:test'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { readable } from '../../../src/http/request/header-text.ts'
import {
  towardsCaller,
  towardsUpstream,
  wantsMultipart,
} from '../../../src/http/x402/proxy-headers.ts'
import { orderOf } from '../../../src/http/x402/proxy-request.ts'

const latin1 = (text: string) => Buffer.from(text).toString('latin1')

function orderWith(headers: Record<string, string>) {
  const url = 'http://localhost/api/x402/proxy?url=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd%23e'
  return orderOf(new Request(url, { headers }), null, { taxTable: builtIn, now: () => new Date() })
}

describe('of the buyer', () => {
  const nameOf = (name: string) => orderWith({ 'x-invoice-company-name': name }).buyer.name

  test('bytes that are UTF-8 are read as such, and others as Latin-1', () => {
    expect(nameOf(latin1('Müller Łódź ✓'))).toBe('Müller Łódź ✓')
    expect(nameOf('M\u00fcller')).toBe('Müller')
  })

  test('percent-encoding is decoded, and what only looks like it stays as it is', () => {
    expect(nameOf(encodeURIComponent('Łódź 🧾'))).toBe('Łódź 🧾')
    expect(nameOf('100% Ada')).toBe('100% Ada')
  })

  test('what is too long is cut, what is no address is left out, nothing is refused', () => {
    const { buyer, poNumber } = orderWith({
      'x-invoice-company-name': 'a'.repeat(300),
      'x-invoice-company-address': ' ',
      'x-invoice-contact-email': 'nope',
      'x-invoice-po-number': 'PO-7',
    })
    expect(buyer).toEqual({ name: 'a'.repeat(256), vat: null, address: null, email: null })
    expect(poNumber).toBe('PO-7')
  })

  test('controls and what turns the direction of text are taken out', () => {
    expect(readable('a\u0007b\u202ec\u0085d\r\n', 9)).toBe('a b c d')
    expect(readable('\u2066', 9)).toBeNull()
    expect(readable('🧾🧾🧾', 2)).toBe('🧾🧾')
  })
})

test('what is wanted is a URL without its fragment, named by method and URL', () => {
  const order = orderWith({})
  expect(order.url.href).toBe('https://a.example/b?c=d')
  expect(order.resource).toMatch(/^0x[0-9a-f]{64}$/)
})

describe('Accept', () => {
  test.each([
    ['multipart/mixed', true],
    ['text/html, multipart/mixed;q=0.9', true],
    ['multipart/mixedup', false],
    ['*/*', false],
  ])('%s wants both parts: %p', (accept, isWanted) => {
    expect(wantsMultipart(new Headers({ accept }))).toBe(isWanted)
  })

  test('goes to the upstream without what it is not asked for', () => {
    const sent = (accept: string) => towardsUpstream(new Headers({ accept })).accept
    expect(sent('multipart/mixed')).toBe('*/*')
    expect(sent('multipart/mixed, text/html;q=0.5')).toBe('text/html;q=0.5')
  })
})

test('a header may have the name of what every object has', () => {
  const headers = new Headers({ constructor: 'a', 'to-string': 'b', tostring: 'c' })
  expect(towardsUpstream(headers)).toEqual({ constructor: 'a', 'to-string': 'b', tostring: 'c' })
  expect(towardsCaller(headers)).toMatchObject({ constructor: 'a', tostring: 'c' })
})

test('what Connection names ends here', () => {
  const headers = new Headers({ connection: 'X-Hop, close', 'x-hop': 'a', 'x-end': 'b' })
  expect(towardsUpstream(headers)).toEqual({ 'x-end': 'b' })
})

describe('a cache that many share', () => {
  const saidOf = (headers: Record<string, string>) => towardsCaller(new Headers(headers))

  test.each([
    ['public, max-age=60', 'private, max-age=60'],
    ['S-MaxAge=600 , Max-Age=60, proxy-revalidate', 'private, Max-Age=60'],
    ['no-store', 'private, no-store'],
    ['private="X-One, X-Two", no-cache="set-cookie"', 'private, no-cache'],
    ['public="', 'private'],
    ['private', 'private'],
    [',,', 'private'],
    ['', 'private'],
  ])('keeps nothing of an answer with Cache-Control: %s', (theirs, ours) => {
    expect(saidOf({ 'cache-control': theirs })['cache-control']).toBe(ours)
  })
})

describe('a link to an invoice is ours: whoever follows it sends the key along', () => {
  const linksIn = (link: string) => towardsCaller(new Headers({ link })).link

  test.each([
    '<https://a.example/i>; rel="invoice"',
    '<https://a.example/i>;REL=Invoice',
    '<https://a.example/i>; title="a, b"; rel="next invoice"',
    '<https://a.example/i>; rel="invoice next"; x="',
  ])('an upstream’s %s is left out', (link) => {
    expect(linksIn(link)).toBeUndefined()
    expect(linksIn(`${link}, <?page=2>; rel=next`)).toEndWith('<?page=2>; rel=next')
    expect(linksIn(`${link}, <?page=2>; rel=next`)).not.toContain('a.example')
  })

  test.each([
    '<https://a.example/i>; x="',
    '<https://a.example/i>; rel=invoice; x="\\", <https://a.example/i>; rel=invoice; y="',
    'https://a.example/i; rel="invoice"',
  ])('none is hidden in what cannot be read, nor swallows ours: %s', (link) => {
    expect(linksIn(link) ?? '').not.toMatch(/"|invoice/)
  })

  test('all others stay', () => {
    const links =
      '<?page=2>; rel="next"; title="a, b", </invoices/1>; rel=item, <https://a.example>'
    expect(linksIn(links)).toBe(links)
  })
})
