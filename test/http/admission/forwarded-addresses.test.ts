import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { forwardedNotice } from '../../../src/http/admission/client-address.ts'
import { nextAddress } from '../../support/addresses.ts'
import type { Answer } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })

const spellings = ['192.0.2.2', '::ffff:192.0.2.2', '::ffff:c000:202']

const ask = (forwardedFor: string): Promise<Answer> =>
  app.keyless('GET', '/api/v1/tax/rates?country=DE', undefined, {
    'x-forwarded-for': forwardedFor,
  })

// Too long for an index entry, even compressed.
const noise = () => randomBytes(2_000).toString('hex')

test.each([
  ['a text', noise],
  ['an address in a zone', () => `fe80::1%${noise()}`],
])(
  'a forwarded address that is %s fails nobody, least of all who calls beside it',
  async (_, said) => {
    const neighbours = Array.from({ length: 20 }, nextAddress)
    const answers = await Promise.all([...neighbours, said(), ...neighbours].map(ask))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  },
)

test.each([
  ['long texts', () => noise()],
  ['ports', (n: number) => `192.0.2.1:${n}`],
  ['ports of the other kind', (n: number) => `[2001:db8::1]:${n}`],
  ['zones', (n: number) => `fe80::1%${n}`],
  ['addresses of one IPv6 network', (n: number) => `2001:db8:0:1::${n.toString(16)}`],
  ['all spellings of an IPv4 address', (n: number) => `${spellings[n % spellings.length]}`],
])('%s for addresses, or behind them, give none an allowance of its own', async (_, nth) => {
  const answers = await Promise.all(Array.from({ length: 220 }, (_, n) => ask(nth(n))))
  const refused = answers.filter(({ status }) => status === 429)
  // If a minute ends meanwhile there are two windows of a hundred requests.
  expect(refused.length).toBeGreaterThanOrEqual(20)
})

test('addresses of either kind, other networks, and names a proxy has for callers, have an allowance each', async () => {
  const networks = [
    '2001:db8:0:2::7',
    '2001:db8:0:3::7',
    '64:ff9b::192.0.2.3',
    '64:ff9b::192.0.2.4',
  ]
  for (const address of [...networks, nextAddress(), 'caller-7', `${nextAddress()}:4711`]) {
    const { status, headers } = await ask(`caller, ${address}`)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '99'])
  }
})

test('where they are not believed, an operator is told of that, once', () => {
  const told: string[] = []
  const notice = forwardedNotice({ warn: (_, message) => told.push(message) })
  const from = (headers: Record<string, string>) =>
    notice(new Request('http://a.example', { headers }))
  from({})
  expect(told).toEqual([])
  from({ 'x-forwarded-for': '192.0.2.2' })
  from({ 'x-forwarded-for': '192.0.2.3' })
  expect(told).toEqual([expect.stringContaining('set TRUST_PROXY=true')])
})
