import { expect, test } from 'bun:test'
import { createOnce } from '../../src/dashboard/create-once.ts'

/** A service that creates one thing per key, and whose answers get lost while `isLosing`. */
function simulate() {
  const service = { isLosing: false, created: new Map<string, object>() }
  const create = createOnce(async (wanted, key) => {
    service.created.set(key, wanted)
    if (service.isLosing) throw new Error('The service cannot be reached')
    return wanted
  })
  return { service, create }
}

const invoice = { amount: 1_250, buyer: { companyName: 'Ada Example Ltd' } }

test('a request repeated after a lost answer creates once', async () => {
  const { service, create } = simulate()
  service.isLosing = true
  await expect(create(invoice)).rejects.toThrow('reached')
  await expect(create(structuredClone(invoice))).rejects.toThrow('reached')
  service.isLosing = false
  expect(await create(invoice)).toEqual(invoice)
  expect([...service.created.values()]).toEqual([invoice])
})

test('a changed request creates another resource', async () => {
  const { service, create } = simulate()
  service.isLosing = true
  await expect(create(invoice)).rejects.toThrow('reached')
  service.isLosing = false
  await create({ ...invoice, amount: 9 })
  expect([...service.created.values()]).toEqual([invoice, { ...invoice, amount: 9 }])
})

test('the same request after a success creates again', async () => {
  const { service, create } = simulate()
  await create(invoice)
  await create(invoice)
  expect([...service.created.values()]).toEqual([invoice, invoice])
})

test('keys never repeat', async () => {
  const keys = new Set<string>()
  const create = createOnce(async (_, key) => keys.add(key))
  for (let times = 0; times < 100; times++) await create(invoice)
  expect(keys.size).toBe(100)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
})
