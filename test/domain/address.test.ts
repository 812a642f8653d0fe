import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { PublicKey } from '@solana/web3.js'
import { readConfig } from '../../src/config/config.ts'
import { addressProblem } from '../../src/domain/address.ts'
import type { Network } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import { proofOn } from '../../src/domain/settlement/claim.ts'
import { readForwarded } from '../../src/domain/x402/forwarded-payment.ts'
import { findPayload } from '../../src/domain/x402/payload.ts'
import { offerOf, type Token } from '../../src/domain/x402/requirements.ts'
import { readAuthorization } from '../../src/domain/x402/signed-payment.ts'
import { readBody } from '../../src/http/request/json.ts'
import { flatRequest } from '../../src/http/shared/invoice-fields.ts'
import { evmAddress, wallet } from '../../src/operator/arguments.ts'

const spelt = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const digits = spelt.slice(2)
const numbered = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
const key = new PublicKey('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const [offCurve] = PublicKey.findProgramAddressSync([Buffer.from('vault')], key)

const good: readonly (readonly [Network, string])[] = [
  ['base', spelt],
  ['base', `0x${digits.toLowerCase()}`],
  ['base', `0x${digits.toUpperCase()}`],
  ['base', numbered(0x12)],
  ['base', numbered(0xff)],
  ['base', numbered(0x101)],
  ['solana', key.toBase58()],
  ['solana', offCurve.toBase58()],
]

const bad: readonly (readonly [Network, string, string])[] = [
  ['base', 'a capital that is none', spelt.replace('5aA', '5aa')],
  ['base', 'a small letter that is none', spelt.replace('Aed', 'aed')],
  ['base', 'a capital prefix', spelt.replace('0x', '0X')],
  ['base', 'a blank before', ` ${spelt}`],
  ['base', 'a blank after', `${spelt} `],
  ['base', 'a line feed after', `${spelt}\n`],
  ['base', 'a digit too few', spelt.slice(0, -1)],
  ['base', 'a digit too many', `${spelt}0`],
  ['base', 'no prefix', digits],
  ['base', 'nothing', ''],
  ['base', 'the zero address', numbered(0)],
  ['base', 'the first precompile', numbered(1)],
  ['base', 'the last precompile', numbered(0x11)],
  ['base', 'the precompile of P-256', numbered(0x100)],
  ['base', 'the token', registry.base.usdcAddress],
  ['base', 'the token of another chain', registry.polygon.usdcAddress.toLowerCase()],
  ['base', 'an address on Solana', key.toBase58()],
  ['solana', 'the zero address', '1'.repeat(32)],
  ['solana', 'the mint', registry.solana.usdcAddress],
  ['solana', 'the Token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['solana', 'another length', `${key.toBase58()}v`.slice(1)],
  ['solana', 'a blank after', `${key.toBase58()} `],
  ['solana', 'a letter that base58 has not', `${key.toBase58().slice(0, -1)}l`],
  ['solana', 'an address of an EVM chain', spelt],
]

const tokens: readonly Token[] = (['base', 'solana'] as const).map((network) => ({
  network,
  names: [network],
  usdcAddress: registry[network].usdcAddress,
  domain: null,
}))
const txHash = {
  base: `0x${'ab'.repeat(32)}`,
  solana: base58.encode(new Uint8Array(64).fill(1)),
} as const
const signature = `0x${'1b'.repeat(65)}`
const other = `0x${'5e'.repeat(20)}`
const authorization = { from: other, to: other, value: '1', validAfter: '0', validBefore: '9' }
const signedBy = (over: object) => ({
  signature,
  authorization: { ...authorization, nonce: txHash.base, ...over },
})
const forwarded = (payment: object) =>
  readForwarded(payment as never, 'X-PAYMENT', tokens, () => null)
const signedOnBase = (over: object) => ({
  ...{ x402Version: 1, scheme: 'exact', network: 'base' },
  payload: signedBy(over),
})
const taxes = { taxTable: {} as never, now: () => new Date() }
const invoice = (body: object) =>
  flatRequest('v1', readBody(Buffer.from(JSON.stringify({ amount: '1', ...body }))), taxes)

/** Where an address comes in on a chain: each throws, or answers null, if it does not take it. */
const entries: readonly (readonly [
  string,
  readonly Network[],
  (on: 'base' | 'solana', text: string) => unknown,
])[] = [
  ['the payer of an invoice', ['base', 'solana'], (chain, payer) => invoice({ chain, payer })],
  [
    'the payer of a claim',
    ['base', 'solana'],
    (chain, payer) => proofOn(chain, { txHash: txHash[chain], signature, payer }),
  ],
  [
    'a wallet in the environment',
    ['base', 'solana'],
    (chain, text) => readConfig({ [`${chain.toUpperCase()}_WALLET`]: text || '0x' }),
  ],
  [
    'a wallet on the command line',
    ['base', 'solana'],
    (chain, text) => wallet(`${chain}=${text}`, {}),
  ],
  ['a contract on the command line', ['base'], (_, text) => evmAddress(text)],
  ['the anchor contract', ['base'], (_, text) => readConfig({ ANCHOR_CONTRACT: text || '0x' })],
  [
    'whom an upstream wants paid',
    ['base', 'solana'],
    (network, payTo) => {
      const option = { scheme: 'exact', network, asset: 'USDC', amount: '1', payTo }
      return (
        offerOf({ header: null, body: JSON.stringify({ accepts: [option] }) }, tokens)
          ?.accepts[0] ?? null
      )
    },
  ],
  [
    'the payer of a forwarded authorization',
    ['base'],
    (_, from) => forwarded(signedOnBase({ from })),
  ],
  ['the payee of a forwarded authorization', ['base'], (_, to) => forwarded(signedOnBase({ to }))],
  [
    'the payer of a forwarded transfer',
    ['base', 'solana'],
    (chain, payer) => forwarded({ txHash: txHash[chain], signature, payer }),
  ],
  [
    'the payer of an authorization',
    ['base'],
    (_, from) => readAuthorization('base', signedBy({ from })),
  ],
  [
    'the payer of a transfer that buys',
    ['base', 'solana'],
    (_, payer) => {
      const sent = JSON.stringify({ txHash: txHash.base, signature, payer })
      const found = findPayload({ paymentSignature: sent, xPayment: null, bodyPayment: null })
      return found?.kind === 'transfer' ? found : null
    },
  ],
]

const isTaken = (take: () => unknown) => {
  try {
    return take() !== null
  } catch {
    return false
  }
}

describe.each(entries)('%s', (_, chains, take) => {
  test.each(good.filter(([on]) => chains.includes(on)))('on %s may be %s', (on, text) => {
    expect(isTaken(() => take(on as 'base', text))).toBe(true)
  })

  // The environment is read without the blanks around a value; some entries take either kind.
  const isElsewhere = (what: string) => what.startsWith('an address')
  test.each(
    bad.filter(
      ([on, what]) =>
        chains.includes(on) &&
        !(/in the environment|anchor contract/.test(_) && /blank|feed/.test(what)) &&
        !(/transfer that buys/.test(_) && isElsewhere(what)),
    ),
  )('on %s may not be %s: %j', (on, _, text) => {
    expect(isTaken(() => take(on as 'base', text))).toBe(false)
  })
})

test('whoever signs has a key: on Solana, an address on the curve', () => {
  expect(addressProblem('solana', key.toBase58(), { signs: true })).toBeNull()
  expect(addressProblem('solana', offCurve.toBase58(), { signs: true })).toBe(
    'has no key that could sign',
  )
})

test('a token that is configured is no wallet either', () => {
  const usdcAddress = `0x${'7c'.repeat(20)}`
  expect(addressProblem('base', usdcAddress)).toBeNull()
  expect(addressProblem('base', usdcAddress, { usdcAddress })).toStartWith('is no wallet')
})
