import { beforeAll, describe, expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

beforeAll(async () => {
  for (const agentId of ['c', 'a/1', 'ü b', 'B']) await set(agentId)
})

const set = (agentId: string) =>
  app.send('PUT', `/api/budget/${encodeURIComponent(agentId)}`, { limit: 1_000, currency: 'EUR' })
const list = (query = '') => app.send('GET', `/api/budget${query}`)

describe('GET /api/budget', () => {
  test('200 every budget as it reads alone', async () => {
    const { status, json } = await list()
    expect([status, { ...json, data: json.data.length }]).toEqual([
      200,
      { success: true, data: 4, limit: 10, hasMore: false, nextCursor: null },
    ])
    for (const one of json.data) {
      const alone = await app.send('GET', `/api/budget/${encodeURIComponent(one.agentId)}`)
      expect(alone.json.data).toEqual(one)
    }
  })

  test('200 page by page, each agent once, in the order of the whole list', async () => {
    const names = (await list()).json.data.map((one: { agentId: string }) => one.agentId)
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json } = await list(`?limit=3${cursor && `&cursor=${cursor}`}`)
      found.push(...json.data.map((one: { agentId: string }) => one.agentId))
      cursor = json.nextCursor
    }
    expect(found).toEqual(names)
  })

  test('400 a limit or cursor that is none', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=AA', 'cursor=gA']) {
      const { status, json } = await list(`?${query}`)
      expect([query, status, json.error.code]).toEqual([query, 400, 'INVALID_REQUEST'])
    }
  })
})
