import { expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { listAudit } from '../../src/storage/accounts/audit.ts'
import { testSecretsKey } from '../support/app.ts'
import { useWorld } from '../support/world.ts'

const sealKey = keyFrom(testSecretsKey)
const { database } = useWorld({ service: 'none' })

const audit = () => listAudit(database.sql, { accountId: null, before: null, limit: 100 })

test('if a key cannot be stored, neither account nor audit entry is left behind', async () => {
  const { sql } = database
  await sql`alter table api_keys add constraint no_v1_keys check (hint not like 'sk_%')`
  const opened = openAccount(sql, sealKey, { name: 'Ada', plan: 'pro' })
  await expect(opened).rejects.toThrow('no_v1_keys')
  expect(await sql`select from accounts where name = 'Ada'`).toHaveLength(0)
  expect(await sql`select from api_keys where name like 'first%'`).toHaveLength(0)
  expect(await audit()).toEqual([])
  await sql`alter table api_keys drop constraint no_v1_keys`
})

test('a new account has an audit entry for itself and for each key', async () => {
  const { account } = await openAccount(database.sql, sealKey, { name: 'Eve', plan: 'pro' })
  const entries = await audit()
  expect(entries.every(({ accountId }) => accountId === account.id)).toBe(true)
  expect(entries.map(({ kind, after }) => `${kind} ${after.name}`).sort()).toEqual([
    'account Eve',
    'key first api key',
    'key first v1 key',
  ])
})
