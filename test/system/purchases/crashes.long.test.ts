import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { useUpstream } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'

/** A purchase changes together with its invoice and its agent's budget, or not at all. */

const waitMs = 30_000
const agent = { 'x-agent-id': 'agent-7' }
const { app, node, upstream, startHere, buy, statesOf } = useUpstream({ env: { ROLE: 'http' } })

/** From now on PostgreSQL refuses changes of this table. */
async function freeze(table: string): Promise<void> {
  const { sql } = app.database
  await sql`create sequence refusals`
  // A sequence survives the rollback, so it shows that a change was refused.
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'frozen %', nextval('refusals'); end $$`
  await sql`create trigger frozen before update on ${sql(table)} for each row execute function refuse()`
}

async function hasRefused(): Promise<boolean> {
  const [row] = await app.database.sql`select is_called from refusals`
  return row?.is_called
}

async function counted() {
  const { spent, reserved } = (await app.send('GET', '/api/budget/agent-7')).json.data
  return [spent, reserved]
}

type Outcome = readonly [purchase: string, invoice: string, counted: number[]]
const paid: Outcome = ['paid', 'paid', [1, 0]]
const settled: Outcome = ['settled', 'settled', [1, 0]]
const given: Outcome = ['replaced', 'sent', [0, 0]]

/** What a worker finds to do, what there is before, and afterwards. */
const tasks = {
  'is settled': { behaviour: 'settle', before: paid, after: settled },
  'can never come': { behaviour: 'deliver unsettled', before: paid, after: given },
  'has come late': { behaviour: 'fail', before: ['held', 'sent', [0, 1]], after: settled },
} as const

const cases = Object.keys(tasks).flatMap((task) =>
  ['invoices', 'budgets'].map((table) => [task as keyof typeof tasks, table] as const),
)

test.each(cases)(
  'a payment %s while the %s cannot be changed: nothing changes, and then all does',
  async (name, table) => {
    const { behaviour, before, after } = tasks[name]
    await app.send('PUT', '/api/budget/agent-7', { limit: 100 })
    const { id, nonce: reference } = await buy(behaviour, agent)
    const { sql } = app.database
    if (name === 'can never come')
      await sql`update purchases set valid_before = now() - interval '1 day' where invoice_id = ${id}`
    if (name === 'has come late') {
      const [from, to] = [node.wallet(1), upstream.payTo]
      await node.transferWithAuthorization({ from, to, usdcBase: 10_000n, reference })
    }
    await node.mine(3)
    const isMoved = name !== 'is settled' || table !== 'budgets'
    await freeze(table)
    const worker = await startHere({ ROLE: 'worker' })
    if (isMoved) {
      await eventually(hasRefused, waitMs)
      expect([...(await statesOf(id)), await counted()] as readonly unknown[]).toEqual(before)
    }
    await sql`drop trigger frozen on ${sql(table)}`
    const isDone = async () =>
      Bun.deepEquals([...(await statesOf(id)), await counted()], [...after])
    await eventually(isDone, waitMs)
    await worker.drain()
  },
)

test('a settlement is not taken back before its purchase can be followed again', async () => {
  const { id, txHash } = await buy('settle', agent)
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash])
  const worker = await startHere({ ROLE: 'worker' })
  await node.mine(3)
  await eventually(async () => (await statesOf(id))[0] === 'settled', waitMs)
  await worker.drain()
  const { blockNumber } = await node.rpc<{ blockNumber: Hex }>('eth_getTransactionReceipt', [
    txHash,
  ])
  await node.reorg(Number(await node.rpc<Hex>('eth_blockNumber')) - Number(blockNumber) + 1)
  await freeze('purchases')
  const next = await startHere({ ROLE: 'worker' })
  await eventually(hasRefused, waitMs)
  expect(await statesOf(id)).toEqual(['settled', 'settled'])
  await app.database.sql`drop trigger frozen on purchases`
  await eventually(async () => (await statesOf(id))[0] === 'paid', waitMs)
  await node.rpc('eth_sendRawTransaction', [signed])
  await node.mine(3)
  await eventually(async () => (await statesOf(id)).join() === 'settled,settled', waitMs)
  await next.drain()
})
