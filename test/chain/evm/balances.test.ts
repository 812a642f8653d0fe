import { beforeAll, describe, expect, test } from 'bun:test'
import { evmBalances } from '../../../src/chain/evm/balances.ts'
import { refusal, refusingBatches } from '../../support/rpc-faults.ts'
import { startRpcRelay } from '../../support/rpc-relay.ts'
import { useWorld } from '../../support/world.ts'
import { faultOf } from '../subject.ts'

const { node } = useWorld({ chains: ['base'], service: 'no database' })
let wallet: string
const stranger = '0x00000000000000000000000000000000000000bb'
const nobody = '0x00000000000000000000000000000000000000cc'

beforeAll(() => {
  wallet = node.wallet(1).address.toLowerCase()
})

const head = async () => Number(await node.rpc('eth_blockNumber'))
const balancesOf = (keepsStates: boolean, url = node.url) =>
  evmBalances({ chainId: 8453, rpcUrls: [url], usdc: node.usdc, keepsStates })

describe('what is held', () => {
  test('is told as of a block, in the order of the addresses, whatever came later', async () => {
    const [before] = await balancesOf(true).held([wallet], await head())
    await node.mint(wallet, 10n)
    const at = await head()
    await node.transfer({ from: wallet, to: stranger, usdcBase: 4n })
    const held = await balancesOf(true).held([nobody, wallet], at)
    expect(held).toEqual([0n, (before ?? 0n) + 10n])
  })

  test('is told of a thousand addresses by a provider of short lists', async () => {
    const relay = startRpcRelay(node.url)
    relay.misbehave(refusingBatches(10, refusal(-32600, 'batch limit exceeded')))
    const many = Array.from(
      { length: 1_000 },
      (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`,
    )
    const held = await balancesOf(true, relay.url).held(many, await head())
    expect(held).toHaveLength(1_000)
    await relay.stop()
  })

  test('where nodes keep no states is told as long as nothing has moved since', async () => {
    await node.mint(wallet, 10n)
    const at = await head()
    await node.mint(nobody, 1n)
    await node.mine(3)
    const expected = await balancesOf(true).held([wallet], at)
    expect(await balancesOf(false).held([wallet], at)).toEqual(expected)
    for (const move of [
      () => node.mint(wallet, 5n),
      () => node.transfer({ from: wallet, to: stranger, usdcBase: 5n }),
    ]) {
      const then = await head()
      await move()
      expect(await faultOf(balancesOf(false).held([wallet], then))).toBe('lagging')
      expect(await balancesOf(false).held([wallet], await head())).toHaveLength(1)
    }
  })
})

describe('what was sent', () => {
  test('is every transfer from the addresses, above zero and to others, with the last block', async () => {
    await node.mint(wallet, 20n)
    const from = (await head()) + 1
    await node.transfer({ from: wallet, to: stranger, usdcBase: 7n })
    await node.transfer({ from: wallet, to: stranger, usdcBase: 0n })
    await node.transfer({ from: wallet, to: wallet, usdcBase: 3n })
    await node.mint(stranger, 9n)
    const to = await head()
    const { last, transfers } = await balancesOf(true).sent({ from, to }, [wallet, nobody])
    expect(last.number).toBe(to)
    expect(transfers.map(({ to, usdcBase }) => [to, usdcBase])).toEqual([[stranger, 7n]])
  })

  test('of blocks the node does not have is lagging, never nothing', async () => {
    const to = (await head()) + 1
    expect(await faultOf(balancesOf(true).sent({ from: to, to }, [wallet]))).toBe('lagging')
  })
})
