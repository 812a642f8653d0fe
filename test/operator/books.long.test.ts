import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeMonths } from '../../src/actors/months.ts'
import type { Row } from '../../src/domain/books/journal.ts'
import type { Problem } from '../../src/operator/books/faults.ts'
import { linesOf } from '../../src/operator/books/lines.ts'
import { type Verified, verifyBooks } from '../../src/operator/books/verify.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { askNodes } from '../../src/verify/node.ts'
import { createdInvoice, keyWith, testWallet } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { credited } from '../support/credit-notes.ts'
import { storedInvoice } from '../support/stored-invoice.ts'
import { eventually } from '../support/wait.ts'
import { useShop } from '../support/x402-proxy.ts'

const world = useShop({
  anchored: true,
  env: async ({ sql }) => {
    await shiftClocks(sql)
    return { BASE_CONFIRMATIONS: '2', FEE_BPS: '100' }
  },
})
const { app, node, sql, buy, sign, aResource, becomes } = world

const now = new Date()
const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 10, 12))
const [past, running] = [before, now].map((at) => at.toISOString().slice(0, 7)) as [string, string]
const pastYear = past.slice(0, 4)

// biome-ignore lint/suspicious/noExplicitAny: a file has lines of several kinds
type Line = any

let folder: string
const files: Record<string, readonly Line[]> = {}

/** Has PostgreSQL's clocks, for connections opened from now on, differ by `clock_shift.by`. */
async function shiftClocks(sql: Sql): Promise<void> {
  await sql`create table public.clock_shift as select interval '0' as by`
  for (const name of ['now', 'clock_timestamp'])
    await sql.unsafe(`create function public.${name}() returns timestamptz language sql volatile
      as 'select pg_catalog.${name}() + by from public.clock_shift'`)
  await sql`do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`
}

/** As if it were the month before, by PostgreSQL's clock. */
async function inThePast<T>(work: () => Promise<T>): Promise<T> {
  await shiftTo(before)
  return work().finally(() => shiftTo(new Date()))
}

async function shiftTo(at: Date): Promise<void> {
  await sql`update public.clock_shift set by = ${at}::timestamptz - pg_catalog.now()`
  // A token that the service issues tells which time it has learned.
  await eventually(async () => {
    const { json } = await app.send('POST', '/api/v1/auth/token')
    return Math.abs(Date.parse(json.data.expiresAt) - at.getTime()) < 86_400_000
  })
}

async function write(lines: readonly Line[]): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.jsonl`)
  await Bun.write(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return file
}

async function exported(period: string): Promise<readonly Line[]> {
  const file = join(folder, `${period}.jsonl`)
  const words = ['--account', app.account.account.id, '--period', period, '--out', file]
  const { code, stderr } = await quittance(world.env, 'books', 'export', ...words)
  expect([code, stderr]).toEqual([0, ''])
  return (await Bun.file(file).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function verified(lines: readonly Line[], ask = askNodes([node.url])): Promise<Verified> {
  const issuer = { contract: world.env.ANCHOR_CONTRACT ?? '', senders: [node.wallet(7).address] }
  return verifyBooks(linesOf(await write(lines)), ask, issuer, new Date())
}

/** The lines as a forger leaves them: the last one fits the others. */
function sealed(lines: readonly Line[]): readonly Line[] {
  const body = lines.filter(({ type }) => type !== 'end')
  const text = body.map((line) => `${JSON.stringify(line)}\n`).join('')
  const count = (wanted: string) => body.filter(({ type }) => type === wanted).length
  const counts = {
    documents: count('document'),
    receipts: count('receipt'),
    entries: count('entry'),
  }
  const sha256 = `0x${createHash('sha256').update(text).digest('hex')}`
  return [...body, { type: 'end', sha256, ...counts }]
}

/** Pays what no invoice asks for, all of it before an operator assigns any of it in the past. */
async function paidInThePast(invoiceId: string, ...parts: readonly bigint[]): Promise<void> {
  const headers = { 'x-api-key': await keyWith(app, ['admin']) }
  const ids: string[] = []
  for (const usdcBase of parts) {
    const from = node.wallet(1).address
    const txHash = await node.transfer({ from, to: testWallet, usdcBase })
    await node.mine(3)
    await eventually(async () => {
      const [row] = await sql<{ position: number }[]>`
        select position from transfers where tx_hash = ${toBytes(txHash)} and state = 'confirmed'`
      if (row) ids.push(`base:${txHash}:${row.position}`)
      return row !== undefined
    })
  }
  for (const id of ids) {
    const path = `/api/transfers/${id}/assign`
    const { status, text } = await inThePast(() => app.send('POST', path, { invoiceId }, headers))
    if (status !== 200) throw new Error(text)
  }
}

/** Sends back what a note refunds, from the wallet that was paid. */
async function refunded({ id, refunds }: Line): Promise<void> {
  const usdcBase = BigInt(Math.round(Number(refunds[0].amount) * 1e6))
  await node.rpc('anvil_impersonateAccount', [testWallet])
  await node.rpc('anvil_setBalance', [testWallet, '0xde0b6b3a7640000'])
  const txHash = await node.transfer({ from: testWallet, to: refunds[0].to, usdcBase })
  await node.mine(3)
  await eventually(async () => {
    const { json } = await app.send('POST', `/api/credit-notes/${id}/refund`, { txHash })
    return json.status === 'refunded'
  })
}

async function allAnchored(): Promise<void> {
  await eventually(async () => {
    await node.mine(1)
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from receipts where batch_id is null or not exists (
        select from anchors where subject_id = batch_id::text and state = 'anchored')`
    return row?.count === 0
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-books-'))
  const ids: string[] = []
  for (const over of [{ amount: 100, currency: 'EUR', taxCountry: 'DE' }, {}, {}, {}])
    ids.push((await inThePast(() => createdInvoice(app, over))).id)
  const [taxed = '', open = '', sold = ''] = ids
  await paidInThePast(taxed, 28_520_000n, 100_000_000n)
  await paidInThePast(sold, 12_600_000n)
  await inThePast(() => credited(app, open, { reason: 'Wrong', amount: 5 }))
  const { json: note } = await inThePast(() => credited(app, sold, { reason: 'Returned' }))
  await createdInvoice(app)
  const url = aResource()
  const unpaid = await buy(url, { 'x-invoice-country': 'DE' })
  await buy(url, await sign(unpaid))
  await node.mine(4)
  await becomes(unpaid.json.invoice.id, 'settled')
  await credited(app, unpaid.json.invoice.id, { number: 'G-77', amount: 4_000 })
  await refunded(note)
  await closeMonths({ sql, unhurriedSql: sql, now: () => new Date(), log: console })
  await allAnchored()
  files[past] = await exported(past)
  files[running] = await exported(running)
})
afterAll(() => rmSync(folder, { recursive: true }))

const inv = (number: number) => `INV-${pastYear}-${`${number}`.padStart(4, '0')}`
const cn = (number: number) => `CN-${pastYear}-${`${number}`.padStart(4, '0')}`

function numberIn({ kind, year, number }: Line['document']): string {
  return `${kind === 'invoice' ? 'INV' : 'CN'}-${year}-${`${number}`.padStart(4, '0')}`
}

/** Where a document stands, and how many lines are its own. */
function groupAt(lines: readonly Line[], number: string): readonly [number, number] {
  const at = lines.findIndex(
    (line) => line.type === 'document' && numberIn(line.document) === number,
  )
  const after = lines.findIndex(({ type }, place) => place > at && /document|end/.test(type))
  return [at, after - at]
}

function groupOf(lines: readonly Line[], number: string): readonly Line[] {
  const [at, length] = groupAt(lines, number)
  return lines.slice(at, at + length)
}

/** With the lines of a document replaced. */
function replaced(
  lines: readonly Line[],
  number: string,
  by: (group: readonly Line[]) => readonly Line[],
) {
  const [at, length] = groupAt(lines, number)
  return lines.toSpliced(at, length, ...structuredClone(by(lines.slice(at, at + length))))
}

/** With something of the only line of this type changed. */
function changed(
  lines: readonly Line[],
  type: string,
  change: (line: Line) => unknown,
): readonly Line[] {
  const copy: Line[] = structuredClone([...lines])
  change(copy.find((line) => line.type === type))
  return copy
}

const ofType = (wanted: string) => (line: Line) => line.type === wanted
const first = (lines: readonly Line[], type: string) => lines.findIndex(ofType(type))

describe('a file verifies', () => {
  test('of a month that is over: documents, receipts and entries, paid in another month', async () => {
    expect(await verified(files[past] ?? [])).toMatchObject({
      ...{ ok: true, documents: 6, open: 0, pending: 0, faults: [] },
      ...{ receipts: 5, entries: 5 + 2 },
    })
  })

  test('of the running month, and says what nothing proves yet', async () => {
    const lines = files[running] ?? []
    expect(await verified(lines)).toMatchObject({ ok: true, documents: 6, open: 3, faults: [] })
    const rows = lines.filter(ofType('entry')).map(({ type: _, ...row }) => row)
    const { text } = await app.send('GET', `/api/books?period=${running}`)
    const journal: readonly Row[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const sorted = (of: readonly object[]) => of.map((row) => JSON.stringify(row)).toSorted()
    expect(sorted(rows)).toEqual(sorted(journal))
  })

  test('with the journal of both months in it, and nothing else', async () => {
    const rows = [...(files[past] ?? []), ...(files[running] ?? [])].filter(ofType('entry'))
    const { text } = await app.send('GET', '/api/books')
    expect(rows).toHaveLength(text.trimEnd().split('\n').length)
  })
})

type Forgery = readonly [
  what: string,
  problem: Problem,
  of: string,
  forge: (lines: readonly Line[]) => readonly Line[],
]

const documents: readonly Forgery[] = [
  ['a document is removed', 'missing document', inv(2), (file) => replaced(file, inv(2), () => [])],
  [
    'the last document is removed',
    'missing document',
    cn(2),
    (file) => replaced(file, cn(2), () => []),
  ],
  [
    'a document is removed, its receipt and entries are not',
    'missing document',
    inv(3),
    (file) => replaced(file, inv(3), ([, ...rest]) => rest),
  ],
  [
    'another buyer',
    'altered',
    inv(4),
    edited(inv(4), 'document', ({ document }) => {
      document.terms.buyer.name = 'Eve'
    }),
  ],
  [
    'another amount',
    'altered',
    inv(4),
    edited(inv(4), 'document', ({ document }) => {
      document.terms.totalUnits = '1'
    }),
  ],
  [
    'another day of issue',
    'altered',
    inv(4),
    edited(inv(4), 'document', ({ document }) => {
      document.createdAt = `${past}-11T00:00:00.000Z`
    }),
  ],
  [
    'another salt',
    'altered',
    inv(4),
    edited(inv(4), 'document', ({ place }) => {
      place.salt = `0x${'00'.repeat(16)}`
    }),
  ],
  [
    'no place in its month',
    'altered',
    inv(4),
    edited(inv(4), 'document', (line) => {
      line.place = null
    }),
  ],
  [
    'a step of its path is left out',
    'altered',
    inv(4),
    edited(inv(4), 'document', ({ place }) => place.path.pop()),
  ],
  [
    'two documents change places',
    'number',
    inv(1),
    (file) => {
      const [one, two] = [groupOf(file, inv(1)), groupOf(file, inv(2))]
      return replaced(
        replaced(file, inv(1), () => []),
        inv(2),
        () => [...two, ...one],
      )
    },
  ],
  [
    'two documents change what they say',
    'altered',
    inv(2),
    (file) => {
      const [[one], [two]] = [groupOf(file, inv(2)), groupOf(file, inv(4))]
      const given = edited(inv(2), 'document', ({ document }) => {
        document.terms = two.document.terms
      })(file)
      return edited(inv(4), 'document', ({ document }) => {
        document.terms = one.document.terms
      })(given)
    },
  ],
  [
    'a document comes twice',
    'number',
    inv(2),
    (file) => replaced(file, inv(2), (group) => [...group, ...group]),
  ],
  [
    'a document comes twice, at the end',
    'number',
    inv(2),
    (file) => [...file, ...groupOf(file, inv(2))],
  ],
  [
    'a document is added',
    'number',
    inv(5),
    (file) =>
      replaced(file, inv(4), (group) => {
        const [copy] = structuredClone(group)
        copy.document.number = 5
        return [...group, copy]
      }),
  ],
  [
    'it is said to be unpaid',
    'missing receipt',
    past,
    edited(
      inv(3),
      'document',
      ({ booking }) => {
        booking.bookedAt = null
      },
      ({ type }) => type === 'document',
    ),
  ],
  [
    'it is said to be unpaid, beside its receipt',
    'altered',
    inv(3),
    edited(inv(3), 'document', ({ booking }) => {
      booking.bookedAt = null
    }),
  ],
  [
    'it is said to be settled on another day',
    'altered',
    inv(3),
    edited(inv(3), 'document', ({ booking }) => {
      booking.bookedAt = `${past}-12T12:00:00.000Z`
    }),
  ],
  [
    'it is said to be paid by less',
    'altered',
    inv(3),
    edited(inv(3), 'document', ({ booking }) => {
      booking.transfers[0].usdcBase = '1'
    }),
  ],
  [
    'a transfer is left out',
    'altered',
    inv(1),
    edited(inv(1), 'document', ({ booking }) => booking.transfers.pop()),
  ],
  [
    'another fee',
    'altered',
    inv(3),
    edited(inv(3), 'document', ({ booking }) => {
      booking.transfers[0].feeBase = '1'
    }),
  ],
  [
    'a note is said not to count',
    'altered',
    cn(2),
    edited(cn(2), 'document', ({ booking }) => {
      booking.bookedAt = null
    }),
  ],
]

const receipts: readonly Forgery[] = [
  [
    'a receipt is removed',
    'missing receipt',
    inv(3),
    edited(
      inv(3),
      'document',
      () => {},
      ({ type }) => type !== 'receipt',
    ),
  ],
  [
    'a claim is changed',
    'altered',
    inv(3),
    edited(inv(3), 'receipt', ({ bundle }) => {
      claimIn(bundle, 'total').value = '1'
    }),
  ],
  [
    'a claim is hidden',
    'altered',
    inv(3),
    edited(inv(3), 'receipt', ({ bundle }) => {
      bundle.claims[0] = { hash: `0x${'00'.repeat(32)}` }
    }),
  ],
  [
    'it is said not to be on chain',
    'missing receipt',
    past,
    (file) => changed(file, 'receipt', ({ bundle }) => notOnChain(bundle)),
  ],
  [
    'two receipts change places',
    'altered',
    inv(3),
    (file) => {
      const [one, two] = [inv(1), inv(3)].map((number) =>
        groupOf(file, number).find(ofType('receipt')),
      )
      const given = edited(inv(1), 'receipt', (line) => {
        line.bundle = two.bundle
      })(file)
      return edited(inv(3), 'receipt', (line) => {
        line.bundle = one.bundle
      })(given)
    },
  ],
  [
    'a receipt comes twice',
    'altered',
    inv(3),
    (file) =>
      replaced(file, inv(3), ([document, receipt, ...rest]) => [
        document,
        receipt,
        receipt,
        ...rest,
      ]),
  ],
  [
    'a receipt is added',
    'altered',
    inv(4),
    (file) => replaced(file, inv(4), ([document]) => [document, groupOf(file, inv(3))[1]]),
  ],
  [
    'the receipt of the month is removed',
    'missing receipt',
    past,
    (file) => file.toSpliced(first(file, 'receipt'), 1),
  ],
  [
    'the receipt of the month is changed',
    'altered',
    past,
    (file) =>
      changed(file, 'receipt', ({ bundle }) => {
        claimIn(bundle, 'documents').value = 5
      }),
  ],
  [
    'the receipt of the month comes twice',
    'altered',
    past,
    (file) => file.toSpliced(first(file, 'receipt'), 0, file[first(file, 'receipt')]),
  ],
]

const entries: readonly Forgery[] = [
  [
    'a row is removed',
    'balance',
    inv(1),
    edited(
      inv(1),
      'document',
      () => {},
      ({ account }) => account !== 'vat_payable',
    ),
  ],
  [
    'all are removed',
    'balance',
    inv(1),
    edited(
      inv(1),
      'document',
      () => {},
      ({ type }) => type !== 'entry',
    ),
  ],
  [
    'an amount is changed',
    'balance',
    inv(1),
    edited(inv(1), 'entry', (row) => {
      row.debit = '1.00'
    }),
  ],
  [
    'a day is changed',
    'balance',
    inv(1),
    edited(inv(1), 'entry', (row) => {
      row.date = `${past}-12`
    }),
  ],
  [
    'an account is changed',
    'balance',
    inv(1),
    edited(inv(1), 'entry', (row) => {
      row.account = 'wallet'
    }),
  ],
  [
    'two rows change places',
    'balance',
    inv(1),
    (file) => replaced(file, inv(1), (group) => group.toSpliced(-2, 2, group.at(-1), group.at(-2))),
  ],
  [
    'the entries of two documents change places',
    'balance',
    inv(3),
    (file) => {
      const [one, two] = [inv(1), inv(3)].map((number) =>
        groupOf(file, number).filter(ofType('entry')),
      )
      const given = replaced(file, inv(1), (group) => [
        ...group.filter(({ type }) => type !== 'entry'),
        ...(two ?? []),
      ])
      return replaced(given, inv(3), (group) => [
        ...group.filter(({ type }) => type !== 'entry'),
        ...(one ?? []),
      ])
    },
  ],
  [
    'a row comes twice',
    'balance',
    inv(1),
    (file) => replaced(file, inv(1), (group) => [...group, group.at(-1)]),
  ],
  [
    'an entry is added',
    'balance',
    inv(2),
    (file) =>
      replaced(file, inv(2), (group) => [
        ...group,
        ...groupOf(file, inv(1)).filter(ofType('entry')),
      ]),
  ],
]

const frame: readonly Forgery[] = [
  [
    'another account',
    'altered',
    past,
    (file) =>
      changed(file, 'header', (line) => {
        line.accountId = crypto.randomUUID()
      }),
  ],
  [
    'fewer documents are said to be',
    'number',
    'header',
    (file) =>
      changed(file, 'header', ({ series }) => {
        series[0].count--
      }),
  ],
  [
    'more documents are said to be',
    'missing document',
    inv(5),
    (file) =>
      changed(file, 'header', ({ series }) => {
        series[0].count++
        series[0].last++
      }),
  ],
  [
    'another period',
    'number',
    inv(1),
    (file) =>
      changed(file, 'header', (line) => {
        line.period = `${Number(pastYear) - 1}`
      }),
  ],
  [
    'exported earlier',
    'altered',
    inv(1),
    (file) =>
      changed(file, 'header', (line) => {
        line.exportedAt = `${pastYear}-01-01T00:00:00.000Z`
      }),
  ],
  [
    'exported in the future',
    'altered',
    'header',
    (file) =>
      changed(file, 'header', (line) => {
        line.exportedAt = '9999-01-01T00:00:00.000Z'
      }),
  ],
  ['nothing is left', 'missing receipt', past, ([header]) => [{ ...header, series: [] }]],
  [
    'exported before the month was over, and nothing is proven',
    'missing receipt',
    past,
    (file) =>
      file
        .filter(({ type, bundle }) => type !== 'receipt' || !isOfMonth(bundle))
        .map((line) => (line.type === 'document' ? { ...line, place: null } : line))
        .map((line) =>
          line.type === 'header' ? { ...line, exportedAt: `${past}-28T00:00:00.000Z` } : line,
        ),
  ],
  ['a line that is none', 'altered', 'line 2', (file) => file.toSpliced(1, 0, {})],
  ['the header comes twice', 'altered', 'line 2', (file) => file.toSpliced(1, 0, file[0])],
]

function isOfMonth({ claims }: { claims: readonly { name?: string; value?: unknown }[] }): boolean {
  return claims.some(({ name, value }) => name === 'kind' && value === 'books')
}

/** An edition of one line of a document, and the lines of it that stay. */
function edited(
  number: string,
  type: string,
  edit: (line: Line) => unknown,
  keep: (line: Line) => boolean = () => true,
) {
  return (file: readonly Line[]) =>
    replaced(file, number, (group) => changed(group, type, edit).filter(keep))
}

function claimIn(bundle: Line, wanted: string): Line {
  return bundle.claims.find(({ name }: Line) => name === wanted)
}

function notOnChain(bundle: Line): void {
  for (const name of ['index', 'size', 'path']) delete bundle[name]
  bundle.anchor = null
}

describe('a forged file is told from the true one, though its last line fits', () => {
  test.each([...documents, ...receipts, ...entries, ...frame])(
    '%s: %s %s',
    async (_, problem, of, forge) => {
      const forged = sealed(forge(files[past] ?? []))
      expect(forged).not.toEqual(files[past] ?? [])
      const { ok, faults } = await verified(forged)
      expect(ok).toBe(false)
      expect(faults).toContainEqual({ problem, of, message: expect.any(String) })
    },
  )

  const isNote = ({ document }: Line) => document?.kind === 'credit_note'
  test.each<Forgery>([
    [
      'a document is removed',
      'missing document',
      'PUR-',
      (file) =>
        file.filter(({ document }) => document?.terms?.isPurchase !== true || isNote({ document })),
    ],
    [
      'the note of a seller is removed',
      'missing document',
      'received in header',
      (file) => file.filter(({ document }) => document?.terms?.sellerNumber === undefined),
    ],
    [
      'the receipt of a refund is removed',
      'missing receipt',
      cn(2),
      (file) => file.filter(({ bundle }) => !bundle || claimIn(bundle, 'kind').value !== 'refund'),
    ],
    [
      'a refund is said to be another',
      'altered',
      cn(2),
      (file) =>
        edited(cn(2), 'document', ({ booking }) => {
          booking.transfers[0].usdcBase = '1'
        })(file),
    ],
    [
      'a refund is left out',
      'altered',
      cn(2),
      (file) => edited(cn(2), 'document', ({ booking }) => booking.transfers.pop())(file),
    ],
    [
      'the receipt of the invoice of a note is removed',
      'missing receipt',
      cn(2),
      (file) =>
        edited(
          cn(2),
          'document',
          () => {},
          ({ bundle }) => !bundle || claimIn(bundle, 'kind').value === 'refund',
        )(file),
    ],
  ])('%s: %s %s, in the running month', async (_, problem, of, forge) => {
    const { faults } = await verified(sealed(forge(files[running] ?? [])))
    const message = expect.any(String)
    expect(faults).toContainEqual({ problem, of: expect.stringContaining(of), message })
  })

  test.each<readonly [string, (lines: readonly Line[]) => readonly Line[]]>([
    ['it is missing', (file) => file.slice(0, -1)],
    [
      'another hash',
      (file) =>
        changed(file, 'end', (line) => {
          line.sha256 = `0x${'00'.repeat(32)}`
        }),
    ],
    [
      'another count',
      (file) =>
        changed(file, 'end', (line) => {
          line.entries++
        }),
    ],
    ['lines after it', (file) => [...file, file.at(-2)]],
    [
      'a byte before it is changed',
      (file) =>
        changed(file, 'header', (line) => {
          line.more = true
        }),
    ],
  ])('the last line: %s', async (_, forge) => {
    const { faults } = await verified(forge(files[past] ?? []))
    expect(faults).toContainEqual({ problem: 'altered', of: 'end', message: expect.any(String) })
  })
})

test('a worker issues the receipts of months that are over when it starts', async () => {
  const accountId = crypto.randomUUID()
  await storedInvoice(sql, accountId, {}, before)
  await world.startHere()
  await eventually(async () => {
    const rows = await sql`select from document_months where account_id = ${accountId}`
    return rows.length === 1
  })
})

describe('the command ends with', () => {
  function verify(file: string, contract = world.env.ANCHOR_CONTRACT ?? '', rpc = node.url) {
    const by = ['--contract', contract, '--sender', node.wallet(7).address]
    return quittance({}, 'books', 'verify', file, '--rpc', rpc, ...by)
  }

  test('0, and says what was verified and what is not proven yet', async () => {
    const { code, text } = await verify(await write(files[running] ?? []))
    expect(code).toBe(0)
    expect(text).toMatch(
      /^\d{4}-\d\d of account .+, as of .+\n6 documents, \d receipts in \d batches on chain, \d+ entries\nnot proven yet: 3 documents .+\nwhat is proven is as it was issued\n$/,
    )
  })

  test('1 and a line for each fault; of another contract, everything is one', async () => {
    const file = await write(files[past] ?? [])
    const { code, text } = await verify(file, `0x${'c1'.repeat(20)}`)
    expect(code).toBe(1)
    expect(text).toContain(`altered: ${inv(3)}: the issuer anchors with another contract\n`)
    expect(text).toEndWith('NOT AS IT WAS ISSUED\n')
  })

  test('3 if the file is none, or the node does not answer', async () => {
    for (const [file, rpc] of [
      [join(folder, 'nothing'), node.url],
      [await write([{}]), node.url],
      [await write(files[past] ?? []), 'http://127.0.0.1:1'],
    ] as const)
      expect((await verify(file, undefined, rpc)).code).toBe(3)
  })

  test('1 where the file to write exists, and where there is no such account', async () => {
    const words = ['books', 'export', '--period', past, '--out']
    const file = await write([])
    const { id } = app.account.account
    const existing = await quittance(world.env, ...words, file, '--account', id)
    expect([existing.code, existing.stderr]).toEqual([1, expect.stringContaining('EEXIST')])
    const unknown = await quittance(
      world.env,
      ...words,
      `${file}.new`,
      '--account',
      crypto.randomUUID(),
    )
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no such account')])
  })
})
