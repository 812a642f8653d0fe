import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { remoteFacilitator } from '../../../src/chain/facilitator/remote.ts'
import type { OwnRequirements } from '../../../src/domain/x402/requirements.ts'
import type { SignedPayment } from '../../../src/domain/x402/signed-payment.ts'

const txHash = `0x${'ab'.repeat(32)}`
const payment: SignedPayment = {
  network: 'base',
  payer: `0x${'aa'.repeat(20)}`,
  nonce: `0x${'01'.repeat(32)}`,
  validBefore: new Date('2100-01-01'),
  payload: { signature: '0x5e' },
}
const requirements: OwnRequirements = {
  network: 'base',
  usdcBase: 10_000n,
  asset: `0x${'cc'.repeat(20)}`,
  payTo: `0x${'bb'.repeat(20)}`,
  extra: {},
}

let facilitator: Bun.Server<undefined>
/** What it answers, by its path. */
let answer: (pathname: string) => Response

beforeAll(() => {
  facilitator = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => answer(new URL(url).pathname),
  })
})
afterAll(() => facilitator.stop(true))

const noted: string[] = []
const note = async (hash: string) => noted.push(hash) > 0

test('what it says of extensions does not get between the lines of the log', async () => {
  const said = { bazaar: { status: 'rejected', reason: 'no "msg"' } }
  const headers = { 'extension-responses': btoa(JSON.stringify(said)) }
  answer = () =>
    Response.json(
      { isValid: true, success: true, transaction: txHash, network: 'base' },
      { headers },
    )
  const written = spyOn(console, 'log')
  const remote = remoteFacilitator(facilitator.url.href, 1_000)
  expect(await remote.verify(payment, requirements)).toEqual({ kind: 'valid' })
  const settled = await remote.settle(payment, requirements, note)
  expect(settled).toEqual({ kind: 'settled', txHash })
  expect(written).not.toHaveBeenCalled()
  written.mockRestore()
})

test.each([
  ['no JSON', () => new Response('<h1>Oops')],
  ['no object', () => Response.json([])],
  ['no verdict', () => Response.json({ isValid: 'yes' })],
])('an answer with %s is no verdict, and leaves what it settled unknown', async (_, said) => {
  answer = said
  const remote = remoteFacilitator(facilitator.url.href, 1_000)
  await expect(remote.verify(payment, requirements)).rejects.toThrow('The facilitator answers')
  expect(await remote.settle(payment, requirements, note)).toEqual({ kind: 'unknown' })
})

test('a transaction that it names with an error is noted, and counts for nothing before the chain has told', async () => {
  answer = () => Response.json({ success: true, transaction: txHash }, { status: 502 })
  noted.length = 0
  const remote = remoteFacilitator(facilitator.url.href, 1_000)
  expect(await remote.settle(payment, requirements, note)).toEqual({ kind: 'unknown' })
  expect(noted).toEqual([txHash])
})
