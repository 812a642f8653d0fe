import { useState } from 'react'
import { keyState } from '../../domain/accounts/key-state.ts'
import type { ListedKey } from '../../domain/accounts/keys.ts'
import { inPresets, type Preset, presets } from '../../domain/accounts/scopes.ts'
import { type AsJson, call } from '../api.ts'
import { today, when } from '../format.ts'
import { useCreation } from '../hooks/use-creation.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { ConfirmButton, useAction } from '../parts/actions.tsx'
import { Checks, Field, Form } from '../parts/fields.tsx'
import { Table } from '../parts/lists.tsx'
import { Cut, Page, Show, Status } from '../parts/parts.tsx'
import { LostSecret, Secret } from '../parts/secrets.tsx'
import type { Sorts } from '../sorting.ts'

type Key = AsJson<ListedKey>
/** Without `key` if the request was repeated because the first response was lost. */
type CreatedKey = { readonly id: string; readonly name: string; readonly key?: string }

const path = '/api/keys'
const head = ['Name', 'Status', 'Permissions', 'Action']
const sorts: Sorts<Key> = {
  Name: ({ name }) => [name],
  // Those in use first, the latest used at the top.
  Status: ({ revokedAt, lastUsedAt }) => [revokedAt ? 1 : 0, -Date.parse(lastUsedAt ?? '1970')],
  Permissions: (key) => [permissionsOf(key)],
}

export function Keys() {
  const found = useLoaded<{ readonly data: readonly Key[] }>(path)
  const { busy, refusal, run } = useAction()
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const revoke = (id: string) =>
    run(async () => {
      await call('DELETE', `${path}/${id}`)
      found.reload()
    })
  return (
    <Page title="API keys">
      {created?.key && <Secret name="API key" text={created.key} />}
      {created && !created.key && (
        <LostSecret name="API key">Revoke {created.name} and create another key.</LostSecret>
      )}
      {refusal}
      <Show from={found}>
        {({ data }) => (
          <Table label="API keys" head={head} rows={data} sorts={sorts}>
            {(key) => <Row key={key.id} shown={key} busy={busy} onRevoke={() => revoke(key.id)} />}
          </Table>
        )}
      </Show>
      <Create
        onCreated={(key) => {
          setCreated(key)
          found.reload()
        }}
      />
    </Page>
  )
}

function Row(props: { shown: Key; busy: boolean; onRevoke: () => void }) {
  const { shown, busy, onRevoke } = props
  const state = keyState(shown, new Date())
  return (
    <tr>
      <td>
        <Cut text={shown.name} />
        <p className="quiet">
          <code>{shown.hint}</code>
        </p>
      </td>
      <td>
        <Status of={state} />
        {shown.expiresAt && <p className="quiet">until {when(shown.expiresAt)}</p>}
        <p className="quiet">
          {shown.lastUsedAt ? `used ${when(shown.lastUsedAt)}` : 'not used yet'}
        </p>
      </td>
      <td className="several">{permissionsOf(shown)}</td>
      <td className="act">
        {state === 'active' && (
          <ConfirmButton
            text="Revoke"
            confirmText="Revoke for good"
            label={`Revoke ${shown.name}`}
            busy={busy}
            onConfirm={onRevoke}
          />
        )}
      </td>
    </tr>
  )
}

function permissionsOf({ scopes }: Key): string {
  const { preset, beyond } = inPresets(scopes)
  return preset && beyond.length === 0 ? presetWords[preset] : scopes.join(', ')
}

const presetWords: Readonly<Record<Preset, string>> = {
  full: 'full access',
  read_only: 'read only',
  webhook_only: 'webhooks only',
}

function Create({ onCreated }: { onCreated: (created: CreatedKey) => void }) {
  const create = useCreation<CreatedKey>(path)
  async function submit(fields: FormData, form: HTMLFormElement) {
    const expiresAt = fields.get('expiresAt')
    const created = await create({
      name: fields.get('name'),
      scopes: fields.getAll('scopes'),
      ...(expiresAt && { expiresAt }),
    })
    onCreated(created)
    // A lost key is to be created again.
    if (created.key) form.reset()
  }
  return (
    <Form title="New API key" button="Create key" onSubmit={submit}>
      <Field label="Name" name="name" maxLength={256} placeholder="Billing agent" required />
      <Checks legend="Permissions" name="scopes" values={presets.full} />
      <Field
        label="Expires at the end of this day (UTC)"
        name="expiresAt"
        type="date"
        min={today()}
      />
    </Form>
  )
}
