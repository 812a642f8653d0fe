import { expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { refundWalletStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { dueRefunds, noteLooked } from '../../../src/storage/credit-notes/refunds.ts'
import { createdInvoice } from '../../support/app.ts'
import { credited, payInvoice } from '../../support/credit-notes.ts'
import { useWorld } from '../../support/world.ts'

const { app, database } = useWorld({ env: { ROLE: 'http' } })

async function aNote(): Promise<string> {
  const { id } = await createdInvoice(app, { amount: 2 })
  await payInvoice(app, id, { usdcBase: 2_000_000n })
  return (await credited(app, id, { reason: 'Returned' })).json.id
}

async function lookedTo(noteId: string) {
  const [row] = await database.sql<{ at: number }[]>`
    select looked_to::integer as at from refunds where note_id = ${noteId}`
  return row?.at ?? null
}

test('what was read for a note counts, unless it got another wallet meanwhile: that is looked for from the start', async () => {
  const [plain, changed] = [await aNote(), await aNote()]
  const before = await lookedTo(changed)
  const due = await dueRefunds(database.sql, 'base', 20)
  expect(due.map(({ note }) => note.id)).toEqual([plain, changed])
  const wallet = privateKeyToAccount(generatePrivateKey())
  const said = { noteId: changed, chain: 'base', wallet: wallet.address.toLowerCase() } as const
  const signature = await wallet.signMessage({ message: refundWalletStatement(said) })
  const body = { wallet: wallet.address, signature }
  const path = `/api/credit-notes/${changed}/refund-wallet`
  expect((await app.send('POST', path, body)).status).toBe(200)
  await noteLooked(database.sql, due, { block: 1_000_000, isMore: false })
  expect([await lookedTo(plain), await lookedTo(changed)]).toEqual([1_000_000, before])
})
