import { useEffect, useState } from 'react'
import type { Attempt, Delivery } from '../../domain/webhooks/delivery.ts'
import { when } from '../format.ts'
import { partlyStreamed } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import type { Sorts } from '../sorting.ts'
import { type Listed, Pager, pagingOf, Table } from './lists.tsx'
import { Empty, Json, Show, Status } from './parts.tsx'

type Redelivery = { busy: boolean; onRedeliver: (deliveryId: string) => void }

const head = ['Event', 'Status', 'Last answer', 'Action']
const sorts: Sorts<Delivery> = {
  Event: ({ type, createdAt }) => [type, createdAt],
  Status: ({ state }) => [state],
  'Last answer': ({ attempts }) => [lastAnswerOf(attempts)],
}

/** `actionCount` increases with every action on the webhook. */
export function Deliveries({
  path,
  query,
  actionCount,
  ...redelivery
}: Redelivery & { path: string; query: string; actionCount: number }) {
  const { isFirst, parameter, pagerProps } = pagingOf(query)
  const [openedId, setOpenedId] = useState<string | null>(null)
  const log = useLoaded<Listed<Delivery>>(`${path}/deliveries?limit=20${parameter}`, {
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
            <Empty title="No deliveries yet">
              Send a test event above to see what your server gets, and what it answers.
            </Empty>
          ) : (
            <>
              <Table label="Deliveries" head={head} rows={data} sorts={sorts}>
                {(one) => (
                  <Row
                    key={one.id}
                    delivery={one}
                    isOpen={one.id === openedId}
                    onOpen={() => setOpenedId(one.id === openedId ? null : one.id)}
                    {...redelivery}
                  />
                )}
              </Table>
              {(!isFirst || nextCursor) && <Pager {...pagerProps(nextCursor)} />}
            </>
          )
        }
      </Show>
    </>
  )
}

function Row(props: Redelivery & { delivery: Delivery; isOpen: boolean; onOpen: () => void }) {
  const { delivery, isOpen, onOpen, busy, onRedeliver } = props
  const { id, type, state, isTest, attempts, nextAttemptAt, createdAt } = delivery
  return (
    <>
      <tr>
        <td>
          <button type="button" className="opens" aria-expanded={isOpen} onClick={onOpen}>
            {type}
          </button>
          {isTest && ' (test)'}
          <p className="quiet">{when(createdAt)}</p>
        </td>
        <td>
          <Status of={state} />
          {nextAttemptAt && <p className="quiet">next attempt {when(nextAttemptAt)}</p>}
        </td>
        <td className="several">
          {lastAnswerOf(attempts)}
          {attempts.length > 1 && <p className="quiet">after {attempts.length} attempts</p>}
        </td>
        <td className="act">
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
      {isOpen && (
        <tr className="opened">
          <td colSpan={head.length} className="line">
            <Sent id={id} attempts={attempts} />
          </td>
        </tr>
      )}
    </>
  )
}

function Sent({ id, attempts }: { id: string; attempts: readonly Attempt[] }) {
  const found = useLoaded<{ readonly payload: object | null }>(`/api/deliveries/${id}`)
  return (
    <div className="sent">
      <section aria-label="Payload">
        <h3>Sent</h3>
        <Show from={found}>
          {({ payload }) =>
            payload ? <Json of={payload} /> : <p className="quiet">The event is no longer kept.</p>
          }
        </Show>
      </section>
      <section aria-label="Answers">
        <h3>Answered</h3>
        {attempts.length === 0 && <p className="quiet">Nothing was sent yet.</p>}
        <ol className="attempts">
          {attempts.toReversed().map((one) => (
            <li key={one.startedAt}>
              {answerOf(one)}
              <p className="quiet">
                {when(one.startedAt)}, in {one.durationMs} ms
              </p>
              {one.responseExcerpt && <pre>{one.responseExcerpt}</pre>}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}

function lastAnswerOf(attempts: readonly Attempt[]): string {
  const last = attempts.at(-1)
  return last ? answerOf(last) : 'none yet'
}

function answerOf({ statusCode, error }: Attempt): string {
  return error ?? `HTTP ${statusCode}`
}
