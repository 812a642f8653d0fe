import { type FormEvent, useEffect, useState } from 'react'
import { types } from '../domain/event-types.ts'
import { call, useLoaded, useMaking } from './api.ts'
import { when } from './format.ts'
import { toldInPart } from './live.ts'
import {
  Card,
  Empty,
  Fact,
  Field,
  LostSecret,
  Page,
  Pager,
  placeIn,
  Secret,
  Show,
  Status,
  Sure,
  Table,
  useAction,
} from './parts.tsx'

type Hook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly disabledReason: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Only just after it was made, unless that answer was lost and the request repeated. */
  readonly secret?: string
}
/** A webhook with a new secret; it may have been changed since, if that answer was lost. */
type Rotated = Hook & { readonly isChangedSince?: boolean }
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
type Log = { readonly data: readonly Delivery[]; readonly nextCursor: string | null }

const stateOf = ({ active }: Hook) => (active ? 'active' : 'paused')

export function Webhooks() {
  const found = useLoaded<{ readonly data: readonly Hook[] }>('/api/webhooks')
  const [made, setMade] = useState<Hook | null>(null)
  return (
    <Page title="Webhooks">
      {made?.secret && <Secret name="signing secret" text={made.secret} />}
      {made && !made.secret && (
        <LostSecret name="signing secret">
          Rotate it on <a href={`#/webhooks/${made.id}`}>the webhook’s page</a> to get a new one.
        </LostSecret>
      )}
      <Show from={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No webhooks yet.</Empty>
          ) : (
            <Table label="Webhooks" head={['URL', 'State', 'Events']}>
              {data.map((hook) => (
                <tr key={hook.id}>
                  <td>
                    <a className="cut" title={hook.url} href={`#/webhooks/${hook.id}`}>
                      {hook.url}
                    </a>
                  </td>
                  <td>
                    <Status of={stateOf(hook)} />
                  </td>
                  <td className="several">{hook.events.join(', ')}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </Show>
      <Create
        onCreated={(hook) => {
          setMade(hook)
          found.reload()
        }}
      />
    </Page>
  )
}

function Create({ onCreated }: { onCreated: (hook: Hook) => void }) {
  const { busy, refusal, run } = useAction()
  const make = useMaking<Hook>('/api/webhooks')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    void run(async () => {
      const wanted = { url: fields.get('url'), events: fields.getAll('events') }
      onCreated(await make(wanted))
      form.reset()
    }, form)
  }
  return (
    <form className="card form" onSubmit={submit} aria-label="New webhook">
      <h2>New webhook</h2>
      <Field label="URL" name="url" type="url" placeholder="https://example.com/hooks" required />
      <fieldset>
        <legend>Events</legend>
        {types.map((type) => (
          <label key={type} className="check">
            <input type="checkbox" name="events" value={type} /> {type}
          </label>
        ))}
      </fieldset>
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          Create webhook
        </button>
      </p>
    </form>
  )
}

export function Webhook({ id, query }: { id: string; query: string }) {
  const path = `/api/webhooks/${id}`
  const hook = useLoaded<Hook>(path)
  const [tried, setTried] = useState(0)
  const { busy, refusal, run } = useAction()
  const [told, setTold] = useState<Told>(null)
  const act: Act = (change) =>
    run(async () => {
      const answer = await change()
      if (answer?.secret) setTold(answer)
      hook.reload()
      setTried((times) => times + 1)
    })
  return (
    <Page title="Webhook" above={['#/webhooks', 'Webhooks']}>
      {told?.secret && (
        <Secret
          name="signing secret"
          text={told.secret}
          caution={told.isChangedSince && outdated}
        />
      )}
      {refusal}
      <Show from={hook}>
        {(found) => (
          <>
            <Receiver hook={found} path={path} busy={busy} act={act} />
            <Deliveries path={path} query={query} tried={tried} busy={busy} act={act} />
          </>
        )}
      </Show>
    </Page>
  )
}

const outdated =
  'The webhook has been changed since this rotation. If its secret was rotated once more, that later one is in use.'

type Told = Pick<Rotated, 'secret' | 'isChangedSince'> | null
type Act = (change: () => Promise<Told>) => void
type Acting = { path: string; busy: boolean; act: Act }

function Receiver({ hook, path, busy, act }: Acting & { hook: Hook }) {
  // Repeated under the same key where its answer is lost: a second rotation would end the overlap.
  const rotate = useMaking<Rotated>(`${path}/rotate-secret`, async (rotated) => {
    const { updatedAt } = await call<Hook>('GET', path)
    return { ...rotated, isChangedSince: updatedAt !== rotated.updatedAt }
  })
  const pause = () => act(() => call('PATCH', path, { active: !hook.active }))
  const remove = () =>
    act(async () => {
      await call('DELETE', path)
      location.hash = '#/webhooks'
      return null
    })
  return (
    <div className="cards">
      <Card title="Receiver">
        <dl>
          <Fact name="URL">
            <span className="long">{hook.url}</span>
          </Fact>
          <Fact name="State">
            <Status of={stateOf(hook)} /> {hook.disabledReason}
          </Fact>
          <Fact name="Events">{hook.events.join(', ')}</Fact>
          <Fact name="Created">{when(hook.createdAt)}</Fact>
        </dl>
        <p className="quiet">
          {hook.active ? 'What happens while it is paused' : 'What happens before it is resumed'} is
          never delivered to it.
        </p>
        <p className="actions">
          <button type="button" disabled={busy} onClick={pause}>
            {hook.active ? 'Pause' : 'Resume'}
          </button>
          <Sure
            what="Rotate secret"
            surely="Rotate now"
            busy={busy}
            onSure={() => act(() => rotate({}))}
          />
          <Sure what="Delete" surely="Delete for good" busy={busy} onSure={remove} />
        </p>
      </Card>
      <TestEvent path={path} busy={busy} act={act} />
    </div>
  )
}

function TestEvent({ path, busy, act }: Acting) {
  const [type, setType] = useState<string>(types[0])
  // Without a key: an event too many harms nobody, while a click that sends none would mislead.
  const send = () => act(() => call('POST', `${path}/test`, { event: type }))
  return (
    <Card title="Test">
      <p className="quiet">Sends a made-up event, signed like every other.</p>
      <label className="field">
        <span>Event type</span>
        <select value={type} onChange={(event) => setType(event.target.value)}>
          {types.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <p className="actions">
        <button type="button" className="primary" disabled={busy} onClick={send}>
          Send Test Event
        </button>
      </p>
    </Card>
  )
}

/** The delivery log, one page at a time. `tried` increases with every action on the webhook. */
function Deliveries({ path, query, tried, busy, act }: Acting & { query: string; tried: number }) {
  const { isFirst, parameter, turns } = placeIn(query)
  const log = useLoaded<Log>(`${path}/deliveries?limit=20${parameter}`, {
    everyMs: 3_000,
    ...toldInPart('deliveries'),
  })
  const { reload } = log
  useEffect(() => {
    if (tried > 0) reload()
  }, [reload, tried])
  return (
    <>
      <h2>Deliveries</h2>
      <Show from={log}>
        {({ data, nextCursor }) =>
          data.length === 0 && isFirst ? (
            <Empty>Nothing delivered yet.</Empty>
          ) : (
            <>
              <Table label="Deliveries" head={['Event', 'State', 'Attempts', 'Created', 'Again']}>
                {data.map((one) => (
                  <Row key={one.id} delivery={one} busy={busy} act={act} />
                ))}
              </Table>
              {(!isFirst || nextCursor) && <Pager {...turns(nextCursor)} />}
            </>
          )
        }
      </Show>
    </>
  )
}

function Row({ delivery, busy, act }: { delivery: Delivery; busy: boolean; act: Act }) {
  const { id, type, state, isTest, attempts, nextAttemptAt, createdAt } = delivery
  return (
    <tr>
      <td>
        {type}
        {isTest && ' (test)'}
      </td>
      <td>
        <Status of={state} />
        {nextAttemptAt && <p className="quiet">next {when(nextAttemptAt)}</p>}
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
          onClick={() => act(() => call('POST', `/api/deliveries/${id}/redeliver`))}
        >
          Redeliver
        </button>
      </td>
    </tr>
  )
}

/** The number of attempts and the outcome of the last; each attempt when opened. */
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
