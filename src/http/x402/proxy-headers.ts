import { withoutMpp } from '../../domain/x402/mpp.ts'

/** Headers that end at the next hop (RFC 9110, 7.6.1), and those that the next hop makes itself. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
/** Request headers for us alone, and those that tell where the caller is. */
const ours = new Set([
  ...hopByHop,
  'accept-encoding',
  'authorization',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'via',
  'x-agent-id',
  'x-api-key',
  'x-mandate-id',
  'x-real-ip',
])
const oursBegin = ['x-forwarded-', 'x-invoice-']

/** Answer headers that a browser would apply to our whole host, and those that only we may set. */
const theirs = new Set([
  ...hopByHop,
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'content-length',
  'content-security-policy',
  'content-security-policy-report-only',
  'critical-ch',
  'nel',
  'no-vary-search',
  'origin-agent-cluster',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'speculation-rules',
  'strict-transport-security',
  'timing-allow-origin',
  'use-as-dictionary',
  'x-content-type-options',
  'x-invoice-id',
  'x-invoice-warnings',
  'x-receipt-id',
  'x-request-id',
])
/** Orders to the web server, balancer or cache in front of us, which an upstream must not give. */
const orders = [
  'edge-control',
  'surrogate-',
  'x-accel-',
  'x-envoy-',
  'x-lighttpd-',
  'x-litespeed-',
  'x-reproxy-',
  'x-sendfile',
]
const theirsBegin = ['access-control-', 'cross-origin-', 'x-ratelimit-', ...orders]
// `CDN-Cache-Control` (RFC 9213), and those of vendors.
const theirsEnd = ['-cache-control']
/** A browser must not run an answer with the rights of our pages, nor guess its type. */
const confined = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** For shared caches that ignore `private`: no stored answer goes to another caller. */
const variesBy = 'Authorization, X-API-Key, PAYMENT-SIGNATURE, X-PAYMENT'
/** Directives to shared caches. The empty name is that of an empty directive. */
const forMany = new Set(['', 'private', 'proxy-revalidate', 'public', 's-maxage'])
/** One link with its parameters (RFC 8288). Text that could begin another link does not match. */
const linkLook = /<[^<>]*>(?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"[^"\\<]*"|[^\s",;<]+))?)*/g
/** An upstream must not name an invoice: whoever follows such a link sends the key along. */
const toInvoice = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?)?invoice(?=[\s";]|$)/i
const ofBodies = new Set(['accept-ranges', 'digest', 'etag', 'last-modified', 'repr-digest'])

type Pairs = Readonly<Record<string, string>>

/** The request headers for the upstream: without the caller's key, cookies and budget. */
export function towardsUpstream(headers: Headers): Pairs {
  const passed = without(headers, ours, oursBegin)
  const { accept } = passed
  return accept === undefined ? passed : { ...passed, accept: withoutMultipart(accept) }
}

export function withoutPayment(pairs: Pairs): Pairs {
  const { 'payment-signature': _, 'x-payment': __, ...others } = pairs
  return others
}

/** The answer headers for the caller, and those that isolate the answer from our pages. */
export function towardsCaller(headers: Headers): Pairs {
  const { link: _, ...kept } = without(headers, theirs, theirsBegin, theirsEnd)
  const link = linksIn(headers)
  return {
    ...kept,
    ...(link !== null && { link }),
    ...confined,
    'cache-control': forOneCaller(kept['cache-control'] ?? ''),
    vary: kept.vary ? `${kept.vary}, ${variesBy}` : variesBy,
  }
}

/** The links that an upstream may give; null: none. */
export function linksIn(headers: Headers): string | null {
  const links = headers.get('link')?.match(linkLook) ?? []
  return links.filter((link) => !toInvoice.test(link)).join(', ') || null
}

/** Without a demand by MPP: its client would answer with our `Authorization`. */
export function withoutMppChallenge({ 'www-authenticate': challenge, ...others }: Pairs): Pairs {
  const kept = challenge === undefined ? null : withoutMpp(challenge)
  return kept === null ? others : { ...others, 'www-authenticate': kept }
}

export function paymentIn(headers: Headers): Pairs {
  const isOfPayment = ([name]: readonly [string, string]) => /^(?:x-)?payment-/.test(name)
  return Object.fromEntries([...headers].filter(isOfPayment))
}

/** Separates the headers that describe the body, which would be wrong for another body. */
export function split(pairs: Pairs): { readonly ofBody: Pairs; readonly others: Pairs } {
  const isOfBody = ([name]: readonly [string, string]) =>
    (name.startsWith('content-') && !(name in confined)) || ofBodies.has(name)
  const entries = Object.entries(pairs)
  return {
    ofBody: Object.fromEntries(entries.filter(isOfBody)),
    others: Object.fromEntries(entries.filter((entry) => !isOfBody(entry))),
  }
}

/** Whether the caller accepts the resource and its invoice in one answer. */
export function wantsMultipart(headers: Headers): boolean {
  return /(?:^|,)\s*multipart\/mixed\s*(?:[;,]|$)/i.test(headers.get('accept') ?? '')
}

/** Keeps the upstream's rules for the caller's own cache; shared caches may store nothing. */
function forOneCaller(cacheControl: string): string {
  const directives = cacheControl.replaceAll(/="[^"]*"?/g, '').split(',')
  const isKept = (directive: string) => !forMany.has(nameOf(directive))
  return ['private', ...directives.map((one) => one.trim()).filter(isKept)].join(', ')
}

function nameOf(directive: string): string {
  return (directive.split('=')[0] as string).trim().toLowerCase()
}

function without(
  headers: Headers,
  names: ReadonlySet<string>,
  starts: readonly string[],
  ends: readonly string[] = [],
): Pairs {
  const connection = headers.get('connection')?.toLowerCase().split(',') ?? []
  const named = connection.map((name) => name.trim())
  const kept: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (names.has(name) || named.includes(name)) continue
    if (starts.some((start) => name.startsWith(start))) continue
    if (ends.some((end) => name.endsWith(end))) continue
    kept[name] = Object.hasOwn(kept, name) ? `${kept[name]}, ${value}` : value
  }
  return kept
}

function withoutMultipart(accept: string): string {
  const others = accept.split(',').filter((one) => !/^\s*multipart\/mixed\b/i.test(one))
  return others.length > 0 ? others.join(',').trim() : '*/*'
}
