import { expect, test } from 'bun:test'
import { createProfiles } from '../../src/actors/profiles.ts'
import { useWorld } from '../support/world.ts'

const { database: db, account } = useWorld({ service: 'apart' })

test('a profile is read once in five seconds, and a change elsewhere is then used', async () => {
  const accountId = account.account.id
  const by = { keyId: Bun.randomUUIDv7(), requestId: 'asked' }
  let nowMs = 0
  const here = createProfiles(db.sql, () => nowMs)
  const elsewhere = createProfiles(db.sql, () => nowMs)
  await elsewhere.change(accountId, { name: 'Ada' }, by)
  expect(await here.of(accountId)).toMatchObject({ name: 'Ada' })
  await elsewhere.change(accountId, { name: 'Eve' }, by)
  nowMs += 5_000
  // No promise: the database is not asked.
  expect(here.of(accountId)).toMatchObject({ name: 'Ada' })
  expect(elsewhere.of(accountId)).toMatchObject({ name: 'Eve' })
  nowMs += 1
  expect(await here.of(accountId)).toMatchObject({ name: 'Eve' })
})
