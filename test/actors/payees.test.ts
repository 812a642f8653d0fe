import { expect, test } from 'bun:test'
import { createPayees } from '../../src/actors/payees.ts'
import { type Network, networks } from '../../src/domain/network.ts'
import { invoiceReferences } from '../support/watcher.ts'

const service = { wallet: '0x5e', usdcAddress: '0xdc', deposit: null }

test('invoices ask to be paid at a wallet that was changed, within five seconds, or again at the service’s', async () => {
  let wallets: Partial<Record<Network, string>> = {}
  let nowMs = 0
  const payees = createPayees({
    networks: Object.fromEntries(networks.map((network) => [network, service])) as Record<
      Network,
      typeof service
    >,
    walletsOf: async () => wallets,
    spelt: (_, address) => address,
    paymentUri: () => 'ethereum:',
    references: invoiceReferences,
    nowMs: () => nowMs,
  })
  const payTo = async () => (await payees('account', 'base', Bun.randomUUIDv7()))?.payTo
  const seen = [await payTo()]
  for (const changed of [{ base: '0xaa' }, { base: '0xbb' }, {}]) {
    wallets = changed
    nowMs += 5_001
    seen.push(await payTo())
  }
  expect(seen).toEqual(['0x5e', '0xaa', '0xbb', '0x5e'])
})
