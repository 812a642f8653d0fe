import { expect, test } from 'bun:test'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const { env } = useWorld({ service: 'none' })

test('list shows the changes to an account, newest first', async () => {
  const { json: made } = await quittance(env, 'account', 'create', '--name', 'Ada', '--json')
  await quittance(env, 'account', 'create', '--name', 'Eve')
  const { id } = made.account
  const { code, json } = await quittance(env, 'audit', 'list', '--account', id, '--json')
  expect(code).toBe(0)
  const said = json.map(({ kind, action, actor }: Record<string, string>) => [kind, action, actor])
  expect(said).toEqual([
    ['key', 'created', 'quittance cli'],
    ['key', 'created', 'quittance cli'],
    ['account', 'created', 'quittance cli'],
  ])
  expect(JSON.stringify(json)).not.toContain(made.apiKey)

  const words = ['audit', 'list', '--limit', '1', '--before', json[1].id]
  const { text } = await quittance(env, ...words)
  expect(text).toContain(`account ${id} created by quittance cli  name="Ada" plan="free"`)
  expect(text.trim().split('\n')).toHaveLength(1)
  const all = await quittance(env, 'audit', 'list')
  expect(all.text).toContain(`key ${json[0].subjectId} of account ${id} created by quittance cli`)
})

test('2 for an invalid limit', async () => {
  expect((await quittance(env, 'audit', 'list', '--limit', '0')).code).toBe(2)
})
