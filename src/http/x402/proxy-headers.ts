/** Those that end at the next hop (RFC 9110, 7.6.1), and what the next hop makes anew. */
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
/** What is between the caller and us, or says where the caller is. */
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

/** What speaks to a browser of our own host and not of one answer, and what only we say. */
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
  'origin-agent-cluster',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'speculation-rules',
  'strict-transport-security',
  'timing-allow-origin',
  'x-content-type-options',
  'x-invoice-id',
  'x-receipt-id',
  'x-request-id',
])
const theirsBegin = ['access-control-', 'cross-origin-', 'x-ratelimit-']
/** It is served from our host: a browser must run nothing of it with the rights of our pages, nor guess what it could be run as. */
const confined = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** What is between us and the caller must not answer anybody else from what it kept. */
const variesBy = 'Authorization, X-API-Key, PAYMENT-SIGNATURE, X-PAYMENT'
const ofBodies = new Set(['accept-ranges', 'digest', 'etag', 'last-modified', 'repr-digest'])

type Pairs = Readonly<Record<string, string>>

/** What an upstream is sent of a request's headers: nothing of the caller's key, cookies or budget. */
export function towardsUpstream(headers: Headers): Pairs {
  const passed = without(headers, ours, oursBegin)
  const { accept } = passed
  return accept === undefined ? passed : { ...passed, accept: withoutMultipart(accept) }
}

/** The same without the payment that it carries. */
export function withoutPayment(pairs: Pairs): Pairs {
  const { 'payment-signature': _, 'x-payment': __, ...others } = pairs
  return others
}

/** What a caller is sent of an answer's headers, and what keeps a browser from taking the answer for one of our pages. */
export function towardsCaller(headers: Headers): Pairs {
  const kept = without(headers, theirs, theirsBegin)
  return { ...kept, ...confined, vary: kept.vary ? `${kept.vary}, ${variesBy}` : variesBy }
}

/** An answer's headers, those which speak of its body apart: with another body they are not true. */
export function split(pairs: Pairs): { readonly ofBody: Pairs; readonly others: Pairs } {
  const isOfBody = ([name]: readonly [string, string]) =>
    (name.startsWith('content-') && !(name in confined)) || ofBodies.has(name)
  const entries = Object.entries(pairs)
  return {
    ofBody: Object.fromEntries(entries.filter(isOfBody)),
    others: Object.fromEntries(entries.filter((entry) => !isOfBody(entry))),
  }
}

/** Whether the caller takes the resource and its invoice in one answer. */
export function wantsMultipart(headers: Headers): boolean {
  return /(?:^|,)\s*multipart\/mixed\s*(?:[;,]|$)/i.test(headers.get('accept') ?? '')
}

function without(headers: Headers, names: ReadonlySet<string>, starts: readonly string[]): Pairs {
  const connection = headers.get('connection')?.toLowerCase().split(',') ?? []
  const named = connection.map((name) => name.trim())
  const kept: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (names.has(name) || named.includes(name)) continue
    if (starts.some((start) => name.startsWith(start))) continue
    kept[name] = Object.hasOwn(kept, name) ? `${kept[name]}, ${value}` : value
  }
  return kept
}

function withoutMultipart(accept: string): string {
  const others = accept.split(',').filter((one) => !/^\s*multipart\/mixed\b/i.test(one))
  return others.length > 0 ? others.join(',').trim() : '*/*'
}
