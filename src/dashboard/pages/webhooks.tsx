import { type ReactNode, useState } from 'react'
import { types } from '../../domain/webhooks/events.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import type { AsJson } from '../api.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Checks, Field, Form } from '../parts/fields.tsx'
import { Table } from '../parts/lists.tsx'
import { Empty, Page, Show, Status } from '../parts/parts.tsx'
import { LostSecret, Secret } from '../parts/secrets.tsx'
import type { Sorts } from '../sorting.ts'

/** `secret`: only in the first response to its creation. */
export type Hook = AsJson<Webhook> & { readonly secret?: string }

export function statusOf({ active }: Hook): string {
  return active ? 'active' : 'paused'
}

const sorts: Sorts<Hook> = {
  URL: ({ url }) => [url],
  Status: (hook) => [statusOf(hook)],
  Events: ({ events }) => [events.length],
}

export function Webhooks() {
  const found = useLoaded<{ readonly data: readonly Hook[] }>('/api/webhooks')
  const [created, setCreated] = useState<Hook | null>(null)
  return (
    <Page title="Webhooks">
      {created?.secret && <Secret name="signing secret" text={created.secret} />}
      {created && !created.secret && (
        <LostSecret name="signing secret">
          Rotate it on <a href={`#/webhooks/${created.id}`}>the webhook’s page</a> to get a new one.
        </LostSecret>
      )}
      <Show from={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No webhooks yet">
              Add the URL of your own server below, and it is told of what happens as it happens.
            </Empty>
          ) : (
            <Table label="Webhooks" head={['URL', 'Status', 'Events']} rows={data} sorts={sorts}>
              {(hook) => (
                <tr key={hook.id}>
                  <td>
                    <a className="cut wide" title={hook.url} href={`#/webhooks/${hook.id}`}>
                      {hook.url}
                    </a>
                  </td>
                  <td>
                    <Status of={statusOf(hook)} />
                  </td>
                  <td className="several line">{hook.events.join(', ')}</td>
                </tr>
              )}
            </Table>
          )
        }
      </Show>
      <Create
        onCreated={(hook) => {
          setCreated(hook)
          found.reload()
        }}
      />
    </Page>
  )
}

function Create({ onCreated }: { onCreated: (hook: Hook) => void }) {
  const create = useCreation<Hook>('/api/webhooks')
  return (
    <HookForm
      title="New webhook"
      button="Create webhook"
      onSubmit={async (wanted, form) => {
        onCreated(await create(wanted))
        form.reset()
      }}
    />
  )
}

export function HookForm(props: {
  title: string
  button: string
  hook?: Hook
  onSubmit: (wanted: object, form: HTMLFormElement) => Promise<void>
  aside?: ReactNode
}) {
  const { title, button, hook, onSubmit, aside } = props
  return (
    <Form
      title={title}
      button={button}
      onSubmit={(fields, form) =>
        onSubmit({ url: fields.get('url'), events: fields.getAll('events') }, form)
      }
      aside={aside}
    >
      <Field
        label="URL"
        name="url"
        type="url"
        placeholder="https://example.com/hooks"
        defaultValue={hook?.url}
        required
      />
      <Checks legend="Events" name="events" values={types} chosen={hook?.events} />
    </Form>
  )
}
