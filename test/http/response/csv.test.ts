import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvAnswer, type Rows, wantsCsv } from '../../../src/http/response/csv.ts'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { after } from '../../support/invoice.ts'
import { unreadAnswer } from '../../support/raw-socket.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

async function textOf(pages: readonly Rows[], header: readonly string[] = ['a', 'b']) {
  const { body } = await csvAnswer(
    'table',
    header,
    (async function* () {
      yield* pages
    })(),
  )
  return new Response(body).text()
}

/** Parses CSV by RFC 4180. */
function parse(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

describe('a table as CSV', () => {
  test('has a header, a line each, CRLF, and quotes where they are needed', async () => {
    const text = await textOf([
      [['x', null]],
      [
        ['a,b', 'say "hi"'],
        ['two\nlines', ''],
      ],
    ])
    expect(text).toBe('a,b\r\nx,\r\n"a,b","say ""hi"""\r\n"two\nlines",\r\n')
  })

  test('is a header alone when there is nothing to tell', async () => {
    expect([await textOf([]), await textOf([[]])]).toEqual(['a,b\r\n', 'a,b\r\n'])
  })

  test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '＝1'])(
    'a cell with %p is no formula to a spreadsheet',
    async (cell) => {
      expect(parse(await textOf([[[cell, 'y']]]))[1]).toEqual([`'${cell}`, 'y'])
    },
  )

  test.each([
    ["Buyer;=cmd|'/C calc'!A0", "Buyer;'=cmd|'/C calc'!A0"],
    ['a\t+1', "a\t'+1"],
    ['a\r\n@sum', "a\r\n'@sum"],
    ['a\n-1;-2', "a\n'-1;'-2"],
    ['a;"=1+1;b', 'a;\'"=1+1;b'],
    ['a;＝1', "a;'＝1"],
  ])(
    '%p is none either to one that parts cells by semicolons or tabs, or lines wherever they end',
    async (cell, read) => {
      expect(parse(await textOf([[['x', cell]]]))[1]).toEqual(['x', read])
    },
  )

  test('numbers, and texts with signs in them, stay what they are', async () => {
    const text = await textOf([[[-5, -5n]], [['a;b', 'x = 1; - y\n * z']], [['1-2', 'a=b+c@d']]])
    expect(parse(text).slice(1)).toEqual([
      ['-5', '-5'],
      ['a;b', 'x = 1; - y\n * z'],
      ['1-2', 'a=b+c@d'],
    ])
  })

  test('means what was put in, whatever that was, but for apostrophes before what some reader could take for a formula', () => {
    const cells = fc.string({ unit: fc.constantFrom(...'=+-@",;\r\n\t\'aé😀 0') })
    const rows = fc.array(fc.tuple(cells, cells), { minLength: 1 })
    return fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const [, ...read] = parse(await textOf([written]))
        const isFormula = (text: string) => /^[=+\-@]/.test(text)
        const behind = (cell: string) => cell.split(/[;\t\r\n]"*/).slice(1)
        for (const cell of read.flat())
          expect([cell, ...behind(cell)].filter(isFormula)).toEqual([])
        const withoutMarks = (row: readonly string[]) => row.map((cell) => cell.replaceAll("'", ''))
        expect(read.map(withoutMarks)).toEqual(written.map(withoutMarks))
      }),
      { numRuns: 300 },
    )
  })
})

describe('pages', () => {
  test('are asked for one at a time, as fast as the reader takes them', async () => {
    let asked = 0
    async function* endless(): AsyncGenerator<Rows, void> {
      for (;;) yield [[`${asked++}`]]
    }
    const { body } = await csvAnswer('table', ['n'], endless())
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    for (let n = 0; n < 3; n++) await reader.read()
    await Bun.sleep(20)
    expect(asked).toBeLessThanOrEqual(5)
    await reader.cancel()
  })

  test('end with the reader who goes away', async () => {
    let isOver = false
    async function* endless(): AsyncGenerator<Rows, void> {
      try {
        for (;;) yield [['x']]
      } finally {
        isOver = true
      }
    }
    const { body } = await csvAnswer('table', ['n'], endless())
    await (body as ReadableStream<Uint8Array>).cancel()
    expect(isOver).toBe(true)
  })

  test('are broken off once they have to end, and what is sent as a whole stays so', async () => {
    async function* endless(): AsyncGenerator<Rows, void> {
      for (;;) yield [['x']]
    }
    const end = new AbortController()
    const { body } = await csvAnswer('table', ['n'], endless(), end.signal)
    const { body: whole } = await csvAnswer('table', ['n'], (async function* () {})(), end.signal)
    expect(await new Response(whole).text()).toBe('n\r\n')
    const read = new Response(body).text()
    end.abort()
    await expect(read).rejects.toThrow('cut off')
  })

  test('that fail at once fail the answer; that fail later break it off', async () => {
    async function* failing(pages: number): AsyncGenerator<Rows, void> {
      for (let n = 0; n < pages; n++) yield [['x']]
      throw new Error('the database is away')
    }
    expect(csvAnswer('table', ['n'], failing(0))).rejects.toThrow('away')
    const { body } = await csvAnswer('table', ['n'], failing(2))
    expect(new Response(body).text()).rejects.toThrow('away')
  })
})

describe('Accept', () => {
  test.each([
    ['text/csv', true],
    ['text/csv; charset=utf-8', true],
    ['TEXT/CSV,*/*;q=0.1', true],
    ['text/csv;q=0.5', true],
    ['text/csv;q=0', false],
    ['text/csv; charset=utf-8; Q=0.000, */*', false],
    ['application/json', false],
    ['application/json, text/csv', false],
    ['text/csv, application/json', true],
    ['text/csv;q=0.1, application/json', false],
    ['application/json;q=0.5, text/csv;q=0.9', true],
    ['application/json;q=0, text/csv;q=0.1', true],
    ['*/*;q=0.8, text/csv', true],
    ['*/*, text/csv;q=0.9', false],
    ['*/*, application/json;q=0.1, text/csv;q=0.5', true],
    ['text/csv;q=0.5, application/*;q=0.6', false],
    ['text/csv;q=2, */*', true],
    ['text/csv;q=0, application/json;q=0', false],
    ['text/csvx', false],
    ['*/*', false],
    ['', false],
  ])('%p asks for CSV: %p', (accept, wanted) => {
    expect(wantsCsv(new Request('http://localhost/', { headers: { accept } }))).toBe(wanted)
  })
})

describe('an export of invoices', () => {
  const { app } = useWorld({ env: { ROLE: 'http' } })

  beforeAll(async () => {
    for (let n = 1; n <= 12; n++) await app.send('POST', '/v1/invoices', bodyOf(n))
  })

  const bodyOf = (n: number) => ({
    amount: n + 0.5,
    currency: 'USD',
    customerName: n === 12 ? '=HYPERLINK("http://x.example")' : `Ada, No. ${n}`,
    customerEmail: 'ada@example.com',
    agentId: n % 2 ? 'odd' : 'even',
    serviceDescription: 'Two\nlines',
  })
  const csv = (path: string, headers: Record<string, string> = {}) =>
    app.send('GET', path, undefined, { accept: 'text/csv', ...headers })
  const columnOf = (text: string, name: string) => {
    const [header = [], ...rows] = parse(text)
    return rows.map((row) => row[header.indexOf(name)])
  }

  test('is a file with all of them, newest first, however short a page is', async () => {
    const { status, headers, text } = await csv('/v1/invoices?limit=5&page=2')
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="invoices.csv"',
    ])
    expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
    const numbers = Array.from({ length: 12 }, (_, at) => `${12 - at}`)
    expect(columnOf(text, 'invoiceNumber')).toEqual(numbers)
    expect(columnOf(text, 'buyerCompanyName').slice(0, 2)).toEqual([
      `'=HYPERLINK("http://x.example")`,
      'Ada, No. 11',
    ])
    expect(new Set(columnOf(text, 'description'))).toEqual(new Set(['Two\nlines']))
  })

  test('is in the figures of its family', async () => {
    const figures = async (path: string) => {
      const { text } = await csv(path)
      return ['invoiceNumber', 'status', 'amount', 'total'].map((name) => columnOf(text, name)[11])
    }
    const number = `INV-${new Date().getUTCFullYear()}-0001`
    expect(await figures('/v1/invoices')).toEqual(['1', 'PENDING', '1.5', '1.5'])
    expect(await figures('/api/invoices')).toEqual([number, 'draft', '150', '150'])
    expect(await figures('/api/v1/invoices')).toEqual([number, 'draft', '150', '150'])
  })

  test('holds what its filters let through', async () => {
    const { text } = await csv('/api/invoices?agentId=odd&status=draft&startDate=2020-01-01')
    expect(columnOf(text, 'agentId')).toEqual(Array.from({ length: 6 }, () => 'odd'))
    expect(columnOf((await csv('/api/invoices?status=paid')).text, 'id')).toEqual([])
  })

  test('is refused as a list is: a bad filter 400, no key 401', async () => {
    const bad = await csv('/api/invoices?status=PENDING')
    expect([bad.status, bad.json.error.code]).toEqual([400, 'INVALID_REQUEST'])
    const { status } = await app.keyless('GET', '/api/invoices', undefined, { accept: 'text/csv' })
    expect(status).toBe(401)
  })

  test('that has begun waits for its turn as long as it takes, and is whole', async () => {
    const { sql } = app.database
    const { account, v1Key } = await app.newAccount()
    const made = { ...after([]), accountId: account.id, number: 0 }
    const invoice = () => ({ ...made, id: Bun.randomUUIDv7() })
    const rows = Array.from({ length: 501 }, () => ({ invoice: invoice(), idempotency: null }))
    await insertAll(sql, rows)
    const headers = { 'x-api-key': v1Key }
    // Has what reads the table wait until it is let go.
    async function hold(table: string) {
      const lock = await sql.reserve()
      await lock`begin`
      await lock`set local idle_in_transaction_session_timeout = 0`
      await lock`lock table ${sql(table)}`
      return async () => {
        await lock`rollback`
        lock.release()
      }
    }
    const untilWaiting = (table: string, readers: number) =>
      eventually(async () => {
        const [row] = await sql<{ waiting: number }[]>`
          select count(*)::integer as waiting from pg_locks join pg_database on oid = database
          where datname = current_database() and relation = ${table}::regclass and not granted`
        return row?.waiting === readers
      })
    const [letInvoicesGo, letMandatesGo] = [await hold('invoices'), await hold('mandates')]
    // The first page and a list take both turns of the account; another list gets the page's turn.
    const list = () => app.send('GET', '/v1/mandates', undefined, headers)
    const exported = csv('/api/invoices', headers)
    await untilWaiting('invoices', 1)
    const lists = [list()]
    await untilWaiting('mandates', 1)
    lists.push(list())
    await Bun.sleep(200)
    await letInvoicesGo()
    await untilWaiting('mandates', 2)
    // Longer than what has not begun waits for its turn.
    await Bun.sleep(3_500)
    await letMandatesGo()
    expect(parse((await exported).text)).toHaveLength(502)
    await Promise.all(lists)
  })

  test('is one of eight of its account at a time, as what nobody reads waits in memory; others have theirs', async () => {
    const { account, v1Key } = await app.newAccount()
    const long = {
      ...after([], { description: '述'.repeat(4_000) }),
      accountId: account.id,
      number: 0,
    }
    const invoice = () => ({ ...long, id: Bun.randomUUIDv7() })
    const rows = () =>
      Array.from({ length: 500 }, () => ({ invoice: invoice(), idempotency: null }))
    // Far more than sockets and the last page hold.
    for (let at = 0; at < 6; at++) await insertAll(app.database.sql, rows())
    const headers = { 'x-api-key': v1Key }
    // One after another: what waits for its turn for too long is refused, too.
    const unread: Awaited<ReturnType<typeof unreadAnswer>>[] = []
    for (let at = 0; at < 8; at++)
      unread.push(await unreadAnswer(`${app.url}/api/invoices`, { ...headers, accept: 'text/csv' }))
    const refused = await csv('/api/invoices', headers)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await app.send('GET', '/api/invoices', undefined, headers)).status).toBe(200)
    expect((await csv('/v1/invoices')).status).toBe(200)
    for (const socket of unread) socket.destroy()
    await eventually(async () => {
      const answer = await fetch(`${app.url}/api/invoices`, {
        headers: { ...headers, accept: 'text/csv' },
      })
      await answer.body?.cancel()
      return answer.status === 200
    })
  })

  test('shows nothing of another account', async () => {
    const { text } = await csv('/api/invoices', { 'x-api-key': app.other.v1Key })
    expect(parse(text)).toHaveLength(1)
  })
})
