import { expect, test } from 'bun:test'
import { ChainError } from '../../../src/chain/chain.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { checkEach } from '../../../src/queues/watching/work.ts'

test('a chain’s balances are checked although other chains failed, and each failure is logged with its chain', async () => {
  const told: unknown[] = []
  const log = {
    warn: (line: object, message: string) => void told.push([message, line]),
    error: (line: object, message: string) => void told.push([message, line]),
  }
  const slow = new DomainError('unavailable', 'The database takes too long')
  const checked: string[] = []
  const checks = [
    { network: 'base', check: () => Promise.reject(slow) },
    { network: 'polygon', check: () => Promise.reject(new ChainError('lagging', 'no block 7')) },
    { network: 'arbitrum', check: async () => void checked.push('arbitrum') },
  ] as const
  await checkEach(checks, log)
  expect(checked).toEqual(['arbitrum'])
  expect(told).toEqual([
    ['balances could not be checked', { network: 'base', err: slow }],
    ['balances could not be read', { network: 'polygon', fault: 'lagging', reason: 'no block 7' }],
  ])
})
