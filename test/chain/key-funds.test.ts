import { expect, test } from 'bun:test'
import { createKeyFunds } from '../../src/chain/key-funds.ts'
import { newEvmWallet } from '../../src/chain/wallets.ts'
import { readConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { testEnv } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { node } = useWorld({ chains: ['base'], service: 'no database' })

test('each process knows the coin of the keys it signs with, as it is a minute ago at most', async () => {
  const [anchorKey, facilitatorKey] = [newEvmWallet(), newEvmWallet()]
  let nowMs = 0
  const fundsOf = async (role: string) => {
    const config = readConfig({
      ...testEnv('postgres://localhost/none'),
      ROLE: role,
      BASE_RPC_URL: node.url,
      ANCHOR_RPC_URL: node.url,
      ANCHOR_CONTRACT: `0x${'c0'.repeat(20)}`,
      ANCHOR_PRIVATE_KEY: anchorKey.privateKey,
      FACILITATOR_EVM_PRIVATE_KEY: facilitatorKey.privateKey,
    })
    return createKeyFunds(config, await loadSecrets(config), () => nowMs)
  }
  const keysOf = async (role: string) => {
    const read = await fundsOf(role)
    await eventually(async () => (await read()).length > 0)
    return (await read()).map(({ key, chain, address }) => [key, chain, address])
  }
  const anchor = ['anchor', 'base', anchorKey.address.toLowerCase()]
  const facilitator = ['facilitator', 'base', facilitatorKey.address.toLowerCase()]
  expect(await keysOf('worker')).toEqual([anchor])
  expect(await keysOf('http')).toEqual([facilitator])
  expect(await keysOf('all')).toEqual([anchor, facilitator])
  const read = await fundsOf('http')
  await eventually(async () => (await read()).length > 0)
  expect(await read()).toMatchObject([{ coin: 0, transactions: 0 }])
  await node.rpc('anvil_setBalance', [facilitatorKey.address, '0xde0b6b3a7640000'])
  expect(await read()).toMatchObject([{ coin: 0 }])
  nowMs += 60_000
  await eventually(async () => (await read())[0]?.coin === 1)
  expect((await read())[0]?.transactions).toBeGreaterThan(100)
})
