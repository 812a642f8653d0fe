import { expect, test } from 'bun:test'
import { encodeAbiParameters } from 'viem'
import { settlingChainOf } from '../../src/chain/chains.ts'
import { tokenFacts, tokenProblem } from '../../src/chain/token.ts'
import type { Network } from '../../src/domain/network.ts'
import { saying } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'
import { useWorld } from '../support/world.ts'
import { faultOf } from './subject.ts'

const { node: base, solana } = useWorld({ chains: ['base', 'solana'], service: 'no database' })

const usdc = `0x${'11'.repeat(20)}`

test.each<[Network, number | null, string | null, string | null]>([
  ['base', 6, 'USDC', null],
  ['skale', 6, 'USDC.e', null],
  ['solana', 6, null, null],
  ['arbitrum', 6, 'USDC.e', `${usdc} calls itself "USDC.e", not USDC`],
  ['base', 6, 'USDС', `${usdc} calls itself "USDС", not USDC`],
  ['base', 6, null, `${usdc} calls itself null, not USDC`],
  ['base', 18, 'USDC', `${usdc} has 18 decimals`],
  ['solana', 9, null, `${usdc} has 9 decimals`],
  ['base', null, null, `there is none at ${usdc}`],
])('on %s, %p decimals and the symbol %p: %p', (network, decimals, symbol, complaint) => {
  expect(tokenProblem({ network, usdc }, { decimals, symbol })).toBe(complaint)
})

test('the facts of real tokens', async () => {
  const ofBase = { network: 'base', rpcUrls: [base.url], usdc: base.usdc, wallet: null } as const
  expect(await tokenFacts(ofBase)).toEqual({
    decimals: 6,
    symbol: 'USDC',
    hasAccount: true,
    isFound: true,
  })
  const ofSolana = {
    network: 'solana',
    rpcUrls: [solana.url],
    usdc: solana.mint.toBase58(),
    wallet: null,
  } as const
  expect(await tokenFacts(ofSolana)).toEqual({
    decimals: 6,
    symbol: null,
    hasAccount: true,
    isFound: true,
  })
})

test('a chain has no head while another token is at the address', async () => {
  const chain = settlingChainOf({ network: 'base', rpcUrls: [base.url], usdc })
  expect(await faultOf(chain.head())).toBe('wrong_token')
  await base.rpc('anvil_setCode', [usdc, contractThatSays('EVIL')])
  expect(await faultOf(chain.head())).toBe('wrong_token')
  await base.rpc('anvil_setCode', [usdc, contractThatSays('USDC')])
  expect((await chain.head()).number).toBeGreaterThan(0)
})

test('an unreachable node decides nothing: the token is checked once it is back', async () => {
  const relay = startRpcRelay(base.url)
  const nothing = `0x${'22'.repeat(20)}`
  const chain = settlingChainOf({ network: 'base', rpcUrls: [relay.url], usdc: nothing })
  relay.misbehave(saying('', { status: 503 }))
  expect(await faultOf(chain.head())).toBe('unreachable')
  relay.behave()
  expect(await faultOf(chain.head())).toBe('wrong_token')
  await relay.stop()
})

/**
 * The code of a contract that answers `decimals()` with 6, and every other call with `text` (at
 * most 32 bytes).
 */
function contractThatSays(text: string): string {
  const jumpIfDecimals = '5f3560e01c63313ce56714601857'
  const returnTheText = '606060215f3960605ff3'
  const returnSix = '5b60065f5260205ff3'
  const encoded = encodeAbiParameters([{ type: 'string' }], [text]).slice(2)
  return `0x${jumpIfDecimals}${returnTheText}${returnSix}${encoded}`
}
