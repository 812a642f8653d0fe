/** An anchor worker in its own process, which kills itself at the point named by its argument. */
import { anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { createAnchorWorker, usualLimits } from '../../../src/queues/anchoring/anchor.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { watchedSql } from '../../support/watched-sql.ts'

/**
 * The moment the worker dies, relative to one of its calls: once it is answered (null), or
 * `afterMs` milliseconds after it was made.
 */
export type KillPoint = {
  readonly call:
    | 'storeBatch'
    | 'signEntries'
    | 'storeSigned'
    | 'broadcast'
    | 'markBroadcast'
    | 'receipts'
    | 'markMined'
    | 'announce'
    | 'markAnnounced'
  readonly afterMs: number | null
}

export type ChildTask = {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly privateKey: string
  readonly contract: string
  readonly blocks: number
  readonly point: KillPoint
}

const task = JSON.parse(process.argv[2] ?? '') as ChildTask
const { contract, point } = task
const worker = createAnchorWorker({
  client: deadly(anchorClient({ rpcUrls: [task.rpcUrl], privateKey: task.privateKey, contract })),
  contract,
  sql: deadlySql(connect(task.databaseUrl, { max: 2, name: 'child' })),
  confirmations: () => ({ blocks: task.blocks, finalized: false }),
  limits: usualLimits,
  steadyMs: () => performance.now(),
  newId: () => Bun.randomUUIDv7(),
  ...deadly({ announce: async () => {} }),
  log: { info: () => {}, warn: () => {} },
})
for (;;) {
  await worker.run()
  await Bun.sleep(2)
}

/** Wraps a part of the worker so that one of its calls ends this process. */
function deadly<Part extends object>(part: Part): Part {
  const [, call] = Object.entries(part).find(([name]) => name === point.call) ?? []
  return call ? { ...part, [point.call]: (...args: unknown[]) => dieAt(call(...args)) } : part
}

/** The same for one of its statements. */
function deadlySql(sql: Sql): Sql {
  const statements: Partial<Record<KillPoint['call'], string>> = {
    storeBatch: 'insert into receipt_batches',
    storeSigned: 'with stored as',
    markBroadcast: "set state = 'broadcast'",
    markMined: 'with mined as',
    markAnnounced: 'set announced = true',
  }
  const part = statements[point.call]
  const isIt = (text: string) => part !== undefined && text.includes(part)
  return watchedSql(sql, {
    before({ text }) {
      if (isIt(text) && point.afterMs !== null) void dieAt(Promise.resolve())
    },
    after({ text }) {
      if (isIt(text) && point.afterMs === null) return dieAt(Promise.resolve())
    },
  })
}

async function dieAt(answer: Promise<unknown>): Promise<void> {
  await (point.afterMs === null ? answer : Bun.sleep(point.afterMs))
  process.kill(process.pid, 'SIGKILL')
}
