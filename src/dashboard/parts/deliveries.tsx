import { useEffect } from 'react'
import { when } from '../format.ts'
import { partlyStreamed } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Pager, pagingOf, Table } from './lists.tsx'
import { Empty, Show, Status } from './parts.tsx'

type Attempt = {
  readonly startedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}
type Delivery = {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly isTest: boolean
  readonly attempts: readonly Attempt[]
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}
type Redelivery = { busy: boolean; onRedeliver: (deliveryId: string) => void }
type Log = { readonly data: readonly Delivery[]; readonly nextCursor: string | null }

/** `actionCount` increases with every action on the webhook. */
export function Deliveries({
  path,
  query,
  actionCount,
  ...redelivery
}: Redelivery & { path: string; query: string; actionCount: number }) {
  const { isFirst, parameter, pagerProps } = pagingOf(query)
  const log = useLoaded<Log>(`${path}/deliveries?limit=20${parameter}`, {
    everyMs: 3_000,
    ...partlyStreamed('deliveries'),
  })
  const { reload } = log
  useEffect(() => {
    if (actionCount > 0) reload()
  }, [reload, actionCount])
  return (
    <>
      <h2>Deliveries</h2>
      <Show from={log}>
        {({ data, nextCursor }) =>
          data.length === 0 && isFirst ? (
            <Empty>No deliveries yet.</Empty>
          ) : (
            <>
              <Table label="Deliveries" head={['Event', 'Status', 'Attempts', 'Created', 'Action']}>
                {data.map((one) => (
                  <Row key={one.id} delivery={one} {...redelivery} />
                ))}
              </Table>
              {(!isFirst || nextCursor) && <Pager {...pagerProps(nextCursor)} />}
            </>
          )
        }
      </Show>
    </>
  )
}

function Row({ delivery, busy, onRedeliver }: Redelivery & { delivery: Delivery }) {
  const { id, type, state, isTest, attempts, nextAttemptAt, createdAt } = delivery
  return (
    <tr>
      <td>
        {type}
        {isTest && ' (test)'}
      </td>
      <td>
        <Status of={state} />
        {nextAttemptAt && <p className="quiet">next attempt {when(nextAttemptAt)}</p>}
      </td>
      <td>
        <Attempts attempts={attempts} />
      </td>
      <td className="minor">{when(createdAt)}</td>
      <td>
        <button
          type="button"
          aria-label={`Redeliver ${type} of ${when(createdAt)}`}
          disabled={busy}
          onClick={() => onRedeliver(id)}
        >
          Redeliver
        </button>
      </td>
    </tr>
  )
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  const last = attempts.at(-1)
  if (!last) return <>none yet</>
  return (
    <details>
      <summary>
        {attempts.length}, last: {answerOf(last)}
      </summary>
      <ol className="attempts">
        {attempts.map((one) => (
          <li key={one.startedAt}>
            {when(one.startedAt)}: {answerOf(one)} in {one.durationMs} ms
            {one.responseExcerpt && <code className="excerpt">{one.responseExcerpt}</code>}
          </li>
        ))}
      </ol>
    </details>
  )
}

function answerOf({ statusCode, error }: Attempt): string {
  return error ?? `${statusCode}`
}
