import { describe, expect, test } from 'bun:test'
import { within } from '../../src/storage/db.ts'

const never = new Promise<never>(() => {})
const limitMs = 7_500

async function outcome(): Promise<unknown> {
  return within(() => Promise.resolve('done')).catch((error) => error)
}

describe('where PostgreSQL answers nothing', () => {
  test('no statement joins two hundred that have waited for seconds, until those have given up', async () => {
    const first = Promise.allSettled(
      Array.from({ length: 199 }, () => within(() => never, limitMs)),
    )
    await Bun.sleep(2_500)
    expect(await outcome()).toBe('done')
    const last = within(() => never, limitMs).catch(() => {})
    expect(await outcome()).toBe('done')
    await Bun.sleep(2_500)
    expect(await outcome()).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 1 })
    await first
    expect(await outcome()).toBe('done')
    await last
  })
})
