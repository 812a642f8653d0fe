import { useState } from 'react'
import { types } from '../../domain/webhooks/events.ts'
import { call } from '../api.ts'
import { when } from '../format.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { ConfirmButton, useAction } from '../parts/actions.tsx'
import { Deliveries } from '../parts/deliveries.tsx'
import { Card, Fact, Page, Show, Status } from '../parts/parts.tsx'
import { Secret } from '../parts/secrets.tsx'
import { type Hook, HookForm, statusOf } from './webhooks.tsx'

/** A webhook with a new secret; it may have changed since, if the first response was lost. */
type Rotated = Hook & { readonly isChangedSince?: boolean }
type NewSecret = Pick<Rotated, 'secret' | 'isChangedSince'> | null
type Act = (change: () => Promise<NewSecret>) => void
type Acting = { path: string; busy: boolean; act: Act }

export function Webhook({ id, query }: { id: string; query: string }) {
  const path = `/api/webhooks/${id}`
  const hook = useLoaded<Hook>(path)
  const [actionCount, setActionCount] = useState(0)
  const { busy, refusal, run } = useAction()
  const [created, setCreated] = useState<NewSecret>(null)
  const [isEditing, setEditing] = useState(false)
  const act: Act = (change) =>
    run(async () => {
      const answer = await change()
      if (answer?.secret) setCreated(answer)
      hook.reload()
      setActionCount((count) => count + 1)
    })
  return (
    <Page title="Webhook" above={['#/webhooks', 'Webhooks']}>
      {created?.secret && (
        <Secret
          name="signing secret"
          text={created.secret}
          caution={created.isChangedSince && outdated}
        />
      )}
      {refusal}
      <Show from={hook}>
        {(found) => (
          <>
            {isEditing ? (
              <HookForm
                title="Change the webhook"
                button="Save"
                hook={found}
                onSubmit={async (wanted) => {
                  await call('PATCH', path, wanted)
                  setEditing(false)
                  hook.reload()
                }}
                aside={
                  <button type="button" onClick={() => setEditing(false)}>
                    Cancel
                  </button>
                }
              />
            ) : (
              <Receiver
                hook={found}
                path={path}
                busy={busy}
                act={act}
                onEdit={() => setEditing(true)}
              />
            )}
            <Deliveries
              path={path}
              query={query}
              actionCount={actionCount}
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
  'The webhook was changed after this rotation. If its secret was rotated again, the later secret is in use.'

function Receiver(props: Acting & { hook: Hook; onEdit: () => void }) {
  const { hook, path, busy, act, onEdit } = props
  // A repeat under another key would rotate again and end the overlap.
  const rotate = useCreation<Rotated>(`${path}/rotate-secret`, async (rotated) => {
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
          <Fact name="Status">
            <Status of={statusOf(hook)} /> {hook.disabledReason}
          </Fact>
          <Fact name="Events">{hook.events.join(', ')}</Fact>
          <Fact name="Created">{when(hook.createdAt)}</Fact>
        </dl>
        <p className="quiet">Events that occur during a pause are not delivered later.</p>
        <p className="actions">
          <button type="button" onClick={onEdit}>
            Edit
          </button>
          <button type="button" disabled={busy} onClick={pause}>
            {hook.active ? 'Pause' : 'Resume'}
          </button>
          <ConfirmButton
            text="Rotate secret"
            confirmText="Rotate now"
            busy={busy}
            onConfirm={() => act(() => rotate({}))}
          />
          <ConfirmButton
            text="Delete"
            confirmText="Delete for good"
            busy={busy}
            onConfirm={remove}
          />
        </p>
      </Card>
      <TestEvent path={path} busy={busy} act={act} />
    </div>
  )
}

function TestEvent({ path, busy, act }: Acting) {
  const [type, setType] = useState<string>(types[0])
  // Without an idempotency key: each click sends an event.
  const send = () => act(() => call('POST', `${path}/test`, { event: type }))
  return (
    <Card title="Test">
      <p className="quiet">Sends a sample event, signed like a real one.</p>
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
