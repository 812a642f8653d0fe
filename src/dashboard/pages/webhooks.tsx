import { type FormEvent, useState } from 'react'
import { types } from '../../domain/webhooks/events.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useMaking } from '../hooks/use-making.ts'
import { useAction } from '../parts/actions.tsx'
import { Field } from '../parts/fields.tsx'
import { Table } from '../parts/lists.tsx'
import { Empty, Page, Show, Status } from '../parts/parts.tsx'
import { LostSecret, Secret } from '../parts/secrets.tsx'

export type Hook = {
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
/** Whether a webhook is in use, as a status. */
export function stateOf({ active }: Hook): string {
  return active ? 'active' : 'paused'
}

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
