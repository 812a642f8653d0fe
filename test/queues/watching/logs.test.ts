import { expect, test } from 'bun:test'
import type { ChainFault } from '../../../src/chain/chain.ts'
import { nodeLog } from '../../../src/queues/watching/logs.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { eventually } from '../../support/wait.ts'

const host = 'node.test'

/** The lines about a node that is told of at most every `everyMs`. */
function told(everyMs?: number) {
  const lines: object[] = []
  const keep = (line: object) => void lines.push(line)
  const watch = nodeLog({ info: keep, warn: keep } as unknown as Log, 'base', everyMs)
  return { lines, become: (fault: ChainFault | null, of = host) => watch({ host: of, fault }) }
}

test('a failure and a recovery are logged at once, for each node and each fault', () => {
  const { lines, become } = told()
  become('unreachable')
  become('unreachable', 'other.test')
  become('wrong_chain')
  become(null)
  expect(lines).toMatchObject([
    { network: 'base', host, fault: 'unreachable', repeated: 0 },
    { host: 'other.test', fault: 'unreachable' },
    { host, fault: 'wrong_chain' },
    { host, repeated: 0 },
  ])
})

test('a node that keeps failing and recovering is logged now and then, and its last state always', async () => {
  const { lines, become } = told(100)
  for (let n = 0; n < 50; n++) {
    become('unreachable')
    become(null)
  }
  become('unreachable')
  expect(lines).toHaveLength(2)
  await eventually(() => lines.length > 2)
  expect(lines.slice(2)).toMatchObject([{ host, fault: 'unreachable', repeated: 50 }])
  become(null)
  expect(lines.at(-1)).toEqual({ network: 'base', host, repeated: 49 })
})

test('nothing is logged for a node that is back in the state last logged', async () => {
  const { lines, become } = told(50)
  for (const fault of ['unreachable', null, 'unreachable', null] as const) become(fault)
  await Bun.sleep(80)
  expect(lines).toHaveLength(2)
})
