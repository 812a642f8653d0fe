import { expect, test } from 'bun:test'
import { createdInvoice } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { demand, through, useServer } from '../../support/x402-proxy.ts'

const { app, startHere } = useWorld({ read: ['base'] })
const upstream = useServer(() => demand())
const year = new Date().getUTCFullYear()

test('issued invoices have no gaps while two processes ask for purchases in between, and a cursor leads through both', async () => {
  const other = await startHere({ ROLE: 'http' })
  const headers = { 'x-api-key': app.account.v1Key }
  const ask = (n: number) =>
    fetch((n % 2 ? other.url : app.url) + through(`${upstream.url}?n=${n}`), { headers })
  const create = (n: number) =>
    fetch(`${n % 2 ? other.url : app.url}/v1/invoices`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      // Some are refused.
      body: JSON.stringify({
        amount: n % 5 ? 10 + n : 0,
        customerName: 'Ada',
        customerEmail: 'a@b.co',
      }),
    })
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? ask(n) : create(n))),
  )
  await other.drain()
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  expect([count(402), count(201), count(400)]).toEqual([20, 32, 8])

  const seen: { invoiceNumber: string; kind: string; id: string }[] = []
  for (let cursor = ''; ; ) {
    const { json } = await app.send('GET', `/api/invoices?limit=7${cursor}`)
    expect(json.total).toBe(52 + Math.ceil(seen.length / 7))
    seen.push(...json.data)
    if (!json.hasMore) break
    cursor = `&cursor=${json.nextCursor}`
    // What comes meanwhile stands before the cursor.
    await createdInvoice(app, {})
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(52)
  for (const [kind, prefix, length] of [
    ['sale', 'INV', 32],
    ['purchase', 'PUR', 20],
  ] as const) {
    const numbers = seen.filter((one) => one.kind === kind).map((one) => one.invoiceNumber)
    const series = Array.from(
      { length },
      (_, at) => `${prefix}-${year}-${`${length - at}`.padStart(4, '0')}`,
    )
    expect(numbers).toEqual(series)
  }
})
