import type { Passing } from '../support/statements.ts'
import type { Process } from '../support/topology.ts'
import type { Stage } from './stage.ts'

/** A moment before or after a statement of a worker. `text` is a part of that statement. */
export type Point = { readonly what: string } & Pick<Passing, 'at' | 'text'>

/** The moments before and after every statement of a watcher's step. */
export const watchPoints: readonly Point[] = [
  ...around('the question where it has got to', 'from cursors where chain ='),
  // The first of these two moments comes right after the chain was read.
  ...around('the question what is on record', 'select * from transfers where chain ='),
  ...around('the question what is meant', 'fitting as ('),
  ...around('the commit of a step', 'insert into transfers (chain'),
]

/** The moments before and after every statement that forms a batch or records its transaction. */
export const anchorPoints: readonly Point[] = [
  ...around('the places of receipts in a batch', 'insert into receipt_batches'),
  ...around('the record of signed bytes', 'insert into anchor_transactions'),
  ...around('the record of a broadcast', "update anchor_transactions set state = 'broadcast'"),
  ...around('the record of mined events', 'with mined as ('),
]

function around(what: string, text: string): readonly Point[] {
  return [
    { what: `${what} has left it`, at: 'asked', text },
    { what: `${what} is answered`, at: 'answered', text },
  ]
}

const patienceMs = 60_000

/**
 * Kills the next worker that reaches `point`, and answers it. Its statement never reaches
 * PostgreSQL, or the answer never reaches the worker.
 */
export async function killedAt({ topology }: Stage, point: Point): Promise<readonly Process[]> {
  const { workers, statements } = topology
  const { promise, resolve } = Promise.withResolvers<readonly Process[]>()
  statements.intercept(({ process, at, text }) => {
    const worker = workers.find(({ name }) => name === process)
    if (!worker || at !== point.at || !text.includes(point.text)) return undefined
    statements.intercept(null)
    return worker.kill().then(() => {
      resolve([worker])
      return 'drop'
    })
  })
  return inTime(promise, point.what).finally(() => statements.intercept(null))
}

/**
 * Kills all workers while one of them broadcasts a transaction, just before or just after the node
 * receives it. Answers the killed workers.
 */
export async function killedAtBroadcast(
  { topology }: Stage,
  when: 'before' | 'after',
): Promise<readonly Process[]> {
  const { anchorRelay, workers } = topology
  const { promise, resolve } = Promise.withResolvers<readonly Process[]>()
  let isOver = false
  anchorRelay.misbehave(async (request, forward) => {
    const isBroadcast = request.some(({ method }) => method === 'eth_sendRawTransaction')
    if (isOver || !isBroadcast) return Response.json(await forward(request))
    isOver = true
    if (when === 'after') await forward(request)
    await Promise.all(workers.map((worker) => worker.kill()))
    resolve(workers)
    return new Response(null, { status: 503 })
  })
  return inTime(promise, `an anchor is broadcast`).finally(() => anchorRelay.behave())
}

function inTime<T>(promise: Promise<T>, where: string): Promise<T> {
  let late: Timer
  const never = new Promise<never>((_, reject) => {
    const error = new Error(`no worker came to where ${where}`)
    late = setTimeout(() => reject(error), patienceMs)
  })
  return Promise.race([promise, never]).finally(() => clearTimeout(late))
}
