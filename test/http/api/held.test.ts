import { expect, test } from 'bun:test'
import { anInvoice, keyWith, refused } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
const hourMs = 3_600_000
let made = 0

/** An invoice over an amount that no other test uses, which is `usdcBase`. */
async function invoiced(key = app.account.v1Key) {
  const amount = 71 + ++made
  return { id: await anInvoice(app, { amount }, key), usdcBase: BigInt(amount) * 1_000_000n }
}

function held(over: Partial<Parameters<typeof heldTransfer>[1]> & { usdcBase: bigint }) {
  return heldTransfer(app.database.sql, over)
}

const read = async (path: string, key = app.account.v1Key) =>
  (await app.send('GET', path, undefined, { 'x-api-key': key })).json

async function heldOf(id: string): Promise<readonly { txHash: string }[] | undefined> {
  return (await read(`/v1/invoices/${id}`)).data.paymentDetails.held
}

async function listed(query: string, key = app.account.v1Key): Promise<readonly string[]> {
  const { data } = await read(`/api/transfers?${query}`, key)
  return data.map(({ id }: { id: string }) => id)
}

test('money that is held for what an invoice is due is shown with it by every family, whole', async () => {
  const { id, usdcBase } = await invoiced()
  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  const from = `0x${'cd'.repeat(20)}`
  const name = await held({ usdcBase, heldAs: 'ambiguous', from, at })
  const shown = {
    txHash: name.split(':')[1],
    amount: `${usdcBase / 1_000_000n}.00`,
    from,
    blockTime: at.toISOString(),
    why: 'ambiguous',
  }
  await eventually(async () => (await heldOf(id)) !== undefined)
  const details = [
    (await read(`/v1/invoices/${id}`)).data,
    await read(`/api/invoices/${id}`),
    await read(`/api/v1/invoices/${id}`),
  ].map(({ paymentDetails }) => paymentDetails.held)
  expect(details).toEqual([[shown], [shown], [shown]])
  // Only those who read one invoice are told.
  const list = (await read('/v1/invoices?limit=1')).data[0]
  expect(list).toMatchObject({ id, paymentDetails: { chain: 'base' } })
  expect(list.paymentDetails.held).toBeUndefined()
})

test('so is what is held for the amount that its payers were asked for', async () => {
  const { id, usdcBase } = await invoiced()
  await anInvoice(app, { amount: Number(usdcBase / 1_000_000n) })
  const { json } = await app.keyless('GET', `/pay/${id}/status`)
  const asked = BigInt(Math.round(Number(json.amountAsked) * 1e6))
  expect(asked).toBeGreaterThan(usdcBase)
  await held({ usdcBase: asked })
  await eventually(async () => (await heldOf(id))?.length === 1)
})

test('what cannot be meant for an invoice is not shown with it', async () => {
  const { id, usdcBase } = await invoiced()
  await held({ usdcBase: usdcBase + 1_000n })
  await held({ usdcBase, to: `0x${'dd'.repeat(20)}` })
  await held({ usdcBase, chain: 'skale' })
  await held({ usdcBase, state: 'reverted' })
  await held({ usdcBase, madeAt: new Date(Date.now() - hourMs) })
  await held({ usdcBase, at: new Date(Date.now() - 30_000) })
  await eventually(async () => (await heldOf(id)) !== undefined)
  expect(await heldOf(id)).toHaveLength(1)
  await app.send('POST', `/api/invoices/${id}/void`)
  expect(await heldOf(id)).toBeUndefined()
})

test('an account lists what is held for its invoices, and nothing else; an operator all', async () => {
  const [ours, theirs, unasked] = [await invoiced(), await invoiced(app.other.v1Key), 987_654_321n]
  const ids = [
    await held({ usdcBase: ours.usdcBase }),
    await held({ usdcBase: theirs.usdcBase, heldAs: 'ambiguous' }),
    await held({ usdcBase: unasked }),
  ]
  const early = await held({ usdcBase: ours.usdcBase, madeAt: new Date(Date.now() - hourMs) })
  const readOnly = await keyWith(app, ['invoices:read'])
  const mine = await listed('status=held&limit=100', readOnly)
  expect(mine).toContain(ids[0] as string)
  for (const other of [...ids.slice(1), early]) expect(mine).not.toContain(other)
  expect(await listed('status=held&limit=100', app.other.v1Key)).toContain(ids[1] as string)
  const operator = await keyWith(app, ['admin'])
  expect(await listed('status=held&limit=100', operator)).toEqual(
    await listed('status=unmatched&limit=100', operator),
  )
})

test('403 for its other statuses without admin, and for all without the right to read invoices', async () => {
  const list = (query: string, key: string) =>
    app.send('GET', `/api/transfers${query}`, undefined, { 'x-api-key': key })
  const readOnly = await keyWith(app, ['invoices:read'])
  for (const query of ['', '?status=unmatched', '?status=ambiguous', '?status=matched'])
    expect(refused(await list(query, readOnly))).toEqual([403, 'FORBIDDEN'])
  const other = await keyWith(app, ['budgets:read'])
  expect(refused(await list('?status=held', other))).toEqual([403, 'FORBIDDEN'])
})
