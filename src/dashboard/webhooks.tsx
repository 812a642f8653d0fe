import { type FormEvent, useState } from 'react'
import { types } from '../domain/event-types.ts'
import { call, useLoaded } from './api.ts'
import { when } from './format.ts'
import { Card, Copy, Empty, Fact, Field, Page, Show, Status, Table, useAction } from './parts.tsx'

type Hook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly disabledReason: string | null
  readonly secret?: string
}
type Delivery = {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly isTest: boolean
  readonly attempts: readonly {
    readonly statusCode: number | null
    readonly error: string | null
  }[]
  readonly createdAt: string
}

const stateOf = ({ active }: Hook) => (active ? 'active' : 'paused')

export function Webhooks() {
  const found = useLoaded<{ readonly data: readonly Hook[] }>('/api/webhooks')
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Page title="Webhooks">
      {secret && <Secret text={secret} />}
      <Show from={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No webhooks yet.</Empty>
          ) : (
            <Table label="Webhooks" head={['URL', 'State', 'Events']}>
              {data.map((hook) => (
                <tr key={hook.id}>
                  <td>
                    <a href={`#/webhooks/${hook.id}`}>{hook.url}</a>
                  </td>
                  <td>
                    <Status of={stateOf(hook)} />
                  </td>
                  <td>{hook.events.join(', ')}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </Show>
      <Create
        onCreated={(made) => {
          setSecret(made.secret ?? null)
          found.reload()
        }}
      />
    </Page>
  )
}

function Create({ onCreated }: { onCreated: (hook: Hook) => void }) {
  const { busy, refusal, run } = useAction()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    void run(async () => {
      const wanted = { url: fields.get('url'), events: fields.getAll('events') }
      onCreated(await call<Hook>('POST', '/api/webhooks', wanted))
      form.reset()
    })
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

function Secret({ text }: { text: string }) {
  return (
    <div className="secret" role="status">
      <p>The signing secret, shown this once:</p>
      <p>
        <code>{text}</code> <Copy text={text} label="Copy signing secret" />
      </p>
    </div>
  )
}

export function Webhook({ id }: { id: string }) {
  const path = `/api/webhooks/${id}`
  const hook = useLoaded<Hook>(path)
  const log = useLoaded<{ readonly data: readonly Delivery[] }>(
    `${path}/deliveries?limit=20`,
    3_000,
  )
  const { busy, refusal, run } = useAction()
  const [secret, setSecret] = useState<string | null>(null)
  const [type, setType] = useState<string>(types[0])
  const act = (method: string, to: string, body?: object) =>
    run(async () => {
      const answer = await call<Hook>(method, to, body)
      if (answer?.secret) setSecret(answer.secret)
      hook.reload()
      log.reload()
    })
  return (
    <Page title="Webhook">
      {secret && <Secret text={secret} />}
      {refusal}
      <Show from={hook}>
        {(found) => (
          <Card title="Receiver">
            <dl>
              <Fact name="URL">
                <span className="long">{found.url}</span>
              </Fact>
              <Fact name="State">
                <Status of={stateOf(found)} /> {found.disabledReason}
              </Fact>
              <Fact name="Events">{found.events.join(', ')}</Fact>
            </dl>
            <p className="actions">
              <button
                type="button"
                disabled={busy}
                onClick={() => act('PATCH', path, { active: !found.active })}
              >
                {found.active ? 'Pause' : 'Resume'}
              </button>
              <button
                type="button"
                disabled={busy}
                onClick={() => act('POST', `${path}/rotate-secret`)}
              >
                Rotate secret
              </button>
            </p>
            <div className="actions">
              <label className="field">
                <span>Event type</span>
                <select value={type} onChange={(event) => setType(event.target.value)}>
                  {types.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
              <button
                type="button"
                className="primary"
                disabled={busy}
                onClick={() => act('POST', `${path}/test`, { event: type })}
              >
                Send Test Event
              </button>
            </div>
          </Card>
        )}
      </Show>
      <h2>Deliveries</h2>
      <Show from={log}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nothing delivered yet.</Empty>
          ) : (
            <Table
              label="Deliveries"
              head={['Event', 'State', 'Attempts', 'Last answer', 'Created', 'Again']}
            >
              {data.map((one) => (
                <tr key={one.id}>
                  <td>
                    {one.type}
                    {one.isTest && ' (test)'}
                  </td>
                  <td>
                    <Status of={one.state} />
                  </td>
                  <td className="number">{one.attempts.length}</td>
                  <td>{one.attempts.at(-1)?.statusCode ?? one.attempts.at(-1)?.error ?? '—'}</td>
                  <td>{when(one.createdAt)}</td>
                  <td>
                    <button
                      type="button"
                      disabled={busy}
                      onClick={() => act('POST', `/api/deliveries/${one.id}/redeliver`)}
                    >
                      Redeliver
                    </button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Show>
    </Page>
  )
}
