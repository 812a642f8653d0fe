import { useState } from 'react'
import { types } from '../../domain/webhooks/events.ts'
import { call } from '../api.ts'
import { when } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useMaking } from '../hooks/use-making.ts'
import { Sure, useAction } from '../parts/actions.tsx'
import { Deliveries } from '../parts/deliveries.tsx'
import { Card, Fact, Page, Show, Status } from '../parts/parts.tsx'
import { Secret } from '../parts/secrets.tsx'
import { type Hook, stateOf } from './webhooks.tsx'

/** A webhook with a new secret; it may have been changed since, if that answer was lost. */
type Rotated = Hook & { readonly isChangedSince?: boolean }
/** What the answer to an action has to tell, if anything: a new secret. */
type Told = Pick<Rotated, 'secret' | 'isChangedSince'> | null
type Act = (change: () => Promise<Told>) => void
type Acting = { path: string; busy: boolean; act: Act }

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
            <Deliveries
              path={path}
              query={query}
              tried={tried}
              busy={busy}
              onRedeliver={(delivery) =>
                act(() => call('POST', `/api/deliveries/${delivery}/redeliver`))
              }
            />
          </>
        )}
      </Show>
    </Page>
  )
}

const outdated =
  'The webhook has been changed since this rotation. If its secret was rotated once more, that later one is in use.'

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
