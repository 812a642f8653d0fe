import { expect, test } from 'bun:test'
import { anchorClient } from '../../src/chain/anchor/anchor.ts'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const { node, env } = useWorld({ chains: ['base'], service: 'none' })

test('deploy puts the contract on the chain and prints its address', async () => {
  const { privateKey } = node.wallet(3)
  const settings = { ANCHOR_RPC_URL: node.url, ANCHOR_PRIVATE_KEY: privateKey }
  const { code, json } = await quittance({ ...env, ...settings }, 'anchor', 'deploy', '--json')
  expect(code).toBe(0)
  const client = anchorClient({ rpcUrls: [node.url], privateKey, contract: json.contract })
  expect(await client.hasContract()).toBe(true)
})

test('1 and what to fund if the key cannot pay, before anything is sent', async () => {
  const { address, privateKey } = node.wallet(4)
  const settings = { ...env, ANCHOR_RPC_URL: node.url, ANCHOR_PRIVATE_KEY: privateKey }
  const errorWith = async (wei: bigint) => {
    await node.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`])
    const { code, stderr } = await quittance(settings, 'anchor', 'deploy')
    expect(code).toBe(1)
    return stderr
  }
  const sender = address.toLowerCase()
  expect(await errorWith(0n)).toBe(`${sender} has no coin on chain 8453: send some there\n`)
  expect(await errorWith(10n ** 12n)).toMatch(
    new RegExp(
      `^${sender} has 0\\.000001 of the coin of chain 8453, and deploying takes up to 0\\.00\\d+: send some there\n$`,
    ),
  )
  expect(await node.rpc('eth_getTransactionCount', [address, 'pending'])).toBe('0x0')
})

test('1 and the missing variable', async () => {
  const { code, stderr } = await quittance(env, 'anchor', 'deploy')
  expect([code, stderr]).toEqual([1, 'ANCHOR_RPC_URL is not set\n'])
})
