import { describe, expect, test } from 'bun:test'
import { offerOf, type Token } from '../../../src/domain/x402/requirements.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const tokens: readonly Token[] = [
  {
    network: 'base',
    names: ['eip155:8453', 'base'],
    usdcAddress: usdc,
    domain: { name: 'USD Coin', version: '2' },
  },
  { network: 'solana', names: ['solana:5eykt', 'solana'], usdcAddress: mint, domain: null },
]
const seller = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const payTo = `0x${'5E'.repeat(20)}`
const option = { scheme: 'exact', network: 'eip155:8453', asset: usdc, amount: '10000', payTo }
const onBase = { network: 'base' as const, payTo: payTo.toLowerCase(), usdcBase: 10_000n }

const v2 = (...options: object[]) => btoa(JSON.stringify({ x402Version: 2, accepts: options }))
const accepts = (header: string | null, body = '') =>
  offerOf({ header, body }, tokens)?.accepts ?? []

describe('an offer is read', () => {
  test('of version 2, from base64 in the header', () => {
    expect(accepts(v2(option))).toEqual([onBase])
  })

  test('in the plain form, from plain JSON in the header', () => {
    const said = { price: '0.01', token: 'USDC', recipient: payTo, network: 'base' }
    for (const price of ['0.01', '$0.01', 0.01])
      expect(accepts(JSON.stringify({ ...said, price }))).toEqual([onBase])
    expect(accepts(JSON.stringify({ ...said, token: usdc.toLowerCase() }))).toEqual([onBase])
  })

  test('of version 1, from the body', () => {
    const { amount: maxAmountRequired, ...others } = option
    const body = JSON.stringify({ accepts: [{ ...others, network: 'base', maxAmountRequired }] })
    expect(accepts(null, body)).toEqual([onBase])
  })

  test('from its options where it has both, as our own 402 does', () => {
    const both = { accepts: [option], price: '7', token: 'USDC', recipient: payTo, network: 'base' }
    expect(accepts(btoa(JSON.stringify(both)))).toEqual([onBase])
  })

  test('from the header before the body', () => {
    const body = JSON.stringify({ accepts: [{ ...option, amount: '1' }] })
    expect(accepts(v2(option), body)).toEqual([onBase])
  })

  test('in its own order, without what is not for us', () => {
    const solana = { ...option, network: 'solana', asset: mint, payTo: seller }
    const others = [
      { ...option, network: 'eip155:84532' },
      { ...option, asset: payTo },
      { ...option, scheme: 'upto' },
    ]
    expect(accepts(v2(...others, solana, option)).map(({ network }) => network)).toEqual([
      'solana',
      'base',
    ])
  })

  test('with what it says is being paid for', () => {
    const resource = { url: 'https://a.example', description: 'A report' }
    const header = btoa(JSON.stringify({ resource, accepts: [option] }))
    expect(offerOf({ header, body: '' }, tokens)?.description).toBe('A report')
  })

  test('says why it is made, and nothing that is no text', () => {
    const errorOf = (error: unknown) =>
      offerOf(
        { header: null, body: JSON.stringify({ x402Version: 1, accepts: [], error }) },
        tokens,
      )?.error
    expect([errorOf('invalid_payload'), errorOf({}), errorOf('')]).toEqual([
      'invalid_payload',
      null,
      null,
    ])
  })
})

describe('nothing is offered by', () => {
  test.each(['', '-1', '0', '010', '1.5', '1e3', '0x10', '99999999999999999', null])(
    'an amount of %p',
    (amount) => expect(accepts(v2({ ...option, amount }))).toEqual([]),
  )

  test.each([-1, 0, '1e400', 'ten', '0.0000001', null, {}])('a price of %p', (price) => {
    const said = { price, token: 'USDC', recipient: payTo, network: 'base' }
    expect(accepts(JSON.stringify(said))).toEqual([])
  })

  test.each(['', '%%%', 'null', '[]', '7', '{"accepts":7}', '{"accepts":[null,7]}', '{'])(
    'a header of %p',
    (header) => expect(accepts(header, header)).toEqual([]),
  )

  test.each([null, 7, '', '0x5e', mint])('a recipient of %p', (recipient) =>
    expect(accepts(v2({ ...option, payTo: recipient }))).toEqual([]),
  )
})

describe('an option of `exact` USDC is paid only where the token itself moves the money', () => {
  const gateway = { name: 'GatewayWalletBatched', version: '1', verifyingContract: payTo }
  test.each([
    ['Circle Gateway', gateway, []],
    ['another contract', { name: 'USD Coin', verifyingContract: payTo }, []],
    ['another version', { name: 'USD Coin', version: '1' }, []],
    ['no text', { name: 7 }, []],
    ['itself in a text', 'GatewayWalletBatched', []],
    ['another way to move it', { name: 'USD Coin', assetTransferMethod: 'gateway' }, []],
    ['Permit2', { assetTransferMethod: 'permit2' }, [onBase]],
    ['the token', { name: 'USD Coin', version: '2' }, [onBase]],
    ['the token as the contract', { name: 'USD Coin', verifyingContract: usdc }, [onBase]],
    ['nothing', {}, [onBase]],
  ])('it names %s', (_, extra, expected) => {
    expect(accepts(v2({ ...option, extra }))).toEqual(expected)
  })
})
