import { expect, test } from 'bun:test'
import { createdInvoice, requester } from '../support/app.ts'
import type { Service } from '../support/service.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const hourMs = 3_600_000
const limitMs = 40_000

const { node, sql, send, start } = useWorld({
  chains: ['base'],
  funded: [1],
  service: 'apart',
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1', LOG_LEVEL: 'info' },
})

function startAhead(role: 'http' | 'all', aheadMs = 0): Promise<Service> {
  const preload = Bun.fileURLToPath(new URL('../support/shifted-clock.ts', import.meta.url))
  return start({
    ROLE: role,
    CLOCK_AHEAD_MS: `${aheadMs}`,
    BUN_OPTIONS: `--preload=${preload}`,
  })
}

const readiness = async ({ url }: Service) => (await requester(() => url)('GET', '/readyz')).json

test('a worker an hour ahead fails no invoice that is due within the hour, says that its clock is wrong, and leaves a chain that goes on being watched', async () => {
  await startAhead('http')
  const order = (amount: number, more = {}) => createdInvoice({ send }, { amount, ...more })
  // Not by requests, which are limited.
  const stateOf = async (id: string) =>
    (await sql`select state from invoices where id = ${id}`)[0]?.state
  const pay = async ({
    id,
    total,
    paymentDetails: { reference },
  }: Awaited<ReturnType<typeof order>>) => {
    const usdcBase = BigInt(Math.round(Number(total) * 1e6))
    await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
    await node.mine(2)
    await eventually(async () => (await stateOf(id)) === 'settled', limitMs)
  }
  const due = await order(1, { dueAt: new Date(Date.now() + hourMs / 2).toISOString() })

  const ahead = await startAhead('all', hourMs)
  const words = /^the clock of this process is \d+ s ahead of the database's/
  await eventually(() =>
    ahead.lines.some(({ level, msg }) => level === 'error' && words.test(`${msg}`)),
  )
  // A database that answers slowly may have read its clock at any moment: by then it is not noted.
  await eventually(async () =>
    (await readiness(ahead)).problems.some((problem: string) => words.test(problem)),
  )
  await pay(await order(2))
  expect(await stateOf(due.id)).toBe('draft')

  await ahead.kill()
  const right = await startAhead('all')
  const { notes } = await readiness(right)
  expect(notes).not.toContainEqual(expect.stringMatching(words))
  await pay(await order(3))
  expect(await stateOf(due.id)).toBe('draft')
})
