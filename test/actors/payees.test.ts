import { expect, test } from 'bun:test'
import { createPayees } from '../../src/actors/payees.ts'
import type { Network } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import { changeWallets } from '../../src/storage/accounts/accounts.ts'
import { invoiceReferences } from '../support/watcher.ts'
import { useWorld } from '../support/world.ts'

const { database: db, account } = useWorld({ service: 'apart' })

test('invoices ask to be paid at a wallet that was changed, within five seconds, or again at the service’s', async () => {
  const accountId = account.account.id
  const wallets = new Proxy({} as Record<Network, string>, { get: () => '0x5e' })
  let nowMs = 0
  const payees = createPayees({
    sql: db.sql,
    wallets,
    networks: registry,
    depositAddress: null,
    spelt: (_, address) => address,
    references: invoiceReferences,
    steadyMs: () => nowMs,
  })
  const payTo = async () => (await payees(accountId, 'base', Bun.randomUUIDv7()))?.payTo
  const seen = [await payTo()]
  for (const base of ['0xaa', '0xbb', null]) {
    await changeWallets(db.sql, accountId, { base })
    nowMs += 5_001
    seen.push(await payTo())
  }
  expect(seen).toEqual(['0x5e', '0xaa', '0xbb', '0x5e'])
})
