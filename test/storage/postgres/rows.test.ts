import { expect, test } from 'bun:test'
import { rowsOf } from '../../../src/storage/postgres/rows.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

const id = Bun.randomUUIDv7()
const at = new Date('2026-05-01T12:00:00.123Z')

/** Each type with values that a careless encoding would spoil. */
const full = {
  id,
  words: 'a "quoted" \\ {text}, NULL and ❤\n',
  whole: -7,
  small: 3,
  large: 2n ** 60n,
  exact: '12.50',
  flag: true,
  at,
  bytes: Buffer.from([0, 92, 34, 255]),
  json: '{"a":"\\"b\\", \\u001e"}',
}
const empty = {
  id: null,
  words: null,
  whole: null,
  small: null,
  large: null,
  exact: null,
  flag: null,
  at: null,
  bytes: null,
  json: null,
}

type Item = { readonly [Name in keyof typeof full]: (typeof full)[Name] | null }

function stored(items: readonly Item[]) {
  return db.sql`select * from ${rowsOf(
    db.sql,
    items,
    {
      id: ['uuid', (item) => item.id],
      words: ['text', (item) => item.words],
      whole: ['integer', (item) => item.whole],
      small: ['smallint', (item) => item.small],
      large: ['bigint', (item) => item.large],
      exact: ['numeric', (item) => item.exact],
      flag: ['boolean', (item) => item.flag],
      at: ['timestamptz', (item) => item.at],
      bytes: ['bytea', (item) => item.bytes],
      json: ['json text', (item) => item.json],
      place: ['integer', (_, place) => place],
    },
    'kept',
  )} order by kept.place`
}

test.each([
  ['no item', []],
  ['one item', [full]],
  ['one item of nulls', [empty]],
  ['several items, nulls among them', [empty, full, empty, { ...full, words: '', json: '""' }]],
])('PostgreSQL reads %s as it was given', async (_, items) => {
  expect([...(await stored(items))]).toEqual(items.map((item, place) => ({ ...item, place })))
})
