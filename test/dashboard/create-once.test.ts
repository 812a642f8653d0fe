import { expect, test } from 'bun:test'
import { createOnce } from '../../src/dashboard/create-once.ts'

/** A service that creates one thing per key, and whose answers get lost while `isLosing`. */
function stand() {
  const service = { isLosing: false, made: new Map<string, object>() }
  const make = createOnce(async (wanted, key) => {
    service.made.set(key, wanted)
    if (service.isLosing) throw new Error('The service cannot be reached')
    return wanted
  })
  return { service, make }
}

const invoice = { amount: 1_250, buyer: { companyName: 'Ada Example Ltd' } }

test('what is sent again because its answer was lost is made once', async () => {
  const { service, make } = stand()
  service.isLosing = true
  await expect(make(invoice)).rejects.toThrow('reached')
  await expect(make(structuredClone(invoice))).rejects.toThrow('reached')
  service.isLosing = false
  expect(await make(invoice)).toEqual(invoice)
  expect([...service.made.values()]).toEqual([invoice])
})

test('what is sent after something was changed about it is something else', async () => {
  const { service, make } = stand()
  service.isLosing = true
  await expect(make(invoice)).rejects.toThrow('reached')
  service.isLosing = false
  await make({ ...invoice, amount: 9 })
  expect([...service.made.values()]).toEqual([invoice, { ...invoice, amount: 9 }])
})

test('the same is made again by who has seen that it was made', async () => {
  const { service, make } = stand()
  await make(invoice)
  await make(invoice)
  expect([...service.made.values()]).toEqual([invoice, invoice])
})

test('no two keys are the same', async () => {
  const keys = new Set<string>()
  const make = createOnce(async (_, key) => keys.add(key))
  for (let times = 0; times < 100; times++) await make(invoice)
  expect(keys.size).toBe(100)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
})
