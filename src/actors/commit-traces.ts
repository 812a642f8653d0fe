import type { Sql } from '../storage/postgres/db.ts'
import { traceNext } from '../storage/webhooks/outbox.ts'
import type { TraceParent, Tracing } from '../telemetry/tracing.ts'
import type { Flush } from './group-commit.ts'

type Commit<Work, Outcome> = {
  readonly name: string
  readonly sqlOf: (lane: number) => Sql
  /** The id of the event's subject. */
  readonly subjectOf: (work: Work) => string
  readonly flush: Flush<Work, Outcome>
}

/**
 * The options of a group commit whose statements are spans of the requests that are traced. Their
 * outbox row has the contexts.
 */
export function tracedCommit<Work extends object, Outcome>(
  tracing: Tracing | null,
  { name, sqlOf, subjectOf, flush }: Commit<Work, Outcome>,
) {
  if (!tracing) return { flush }
  const { start } = tracing
  const parents = new WeakMap<Work, TraceParent>()

  function onSubmit(work: Work): void {
    const parent = tracing?.parent() ?? null
    if (parent !== null) parents.set(work, parent)
  }

  function begin(works: readonly Work[]) {
    return works.flatMap((work) => {
      const parent = parents.get(work)
      if (parent === undefined) return []
      const attributes = { 'quittance.batch_size': works.length }
      const span = start(`commit ${name}`, { parent, attributes })
      return [{ subjectId: subjectOf(work), ...span }]
    })
  }

  return {
    onSubmit,
    async flush(lane: number, works: readonly Work[]): Promise<readonly Outcome[]> {
      const spans = begin(works)
      if (spans.length === 0) return flush(lane, works)
      const contexts = spans.map(({ subjectId, traceParent }) => [subjectId, traceParent])
      traceNext(sqlOf(lane), Object.fromEntries(contexts))
      try {
        return await flush(lane, works)
      } catch (error) {
        for (const span of spans) span.fail(error)
        throw error
      } finally {
        traceNext(sqlOf(lane), null)
        for (const span of spans) span.end()
      }
    },
  }
}
