import { type FormEvent, useState } from 'react'
import { presets } from '../domain/scopes.ts'
import { call, useLoaded, useMaking } from './api.ts'
import { when } from './format.ts'
import {
  Cut,
  Field,
  LostSecret,
  Page,
  Secret,
  Show,
  Status,
  Sure,
  Table,
  useAction,
} from './parts.tsx'

type Key = {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly createdAt: string
}
/** Without `key` where the request was repeated because the first answer was lost. */
type Made = { readonly id: string; readonly name: string; readonly key?: string }

const path = '/api/keys'
const head = ['Name', 'State', 'Permissions', 'Revoke']

export function Keys() {
  const found = useLoaded<{ readonly data: readonly Key[] }>(path)
  const { busy, refusal, run } = useAction()
  const [made, setMade] = useState<Made | null>(null)
  const revoke = (id: string) =>
    run(async () => {
      await call('DELETE', `${path}/${id}`)
      found.reload()
    })
  return (
    <Page title="API keys">
      {made?.key && <Secret name="API key" text={made.key} />}
      {made && !made.key && (
        <LostSecret name="API key">Revoke {made.name} and create another key.</LostSecret>
      )}
      {refusal}
      <Show from={found}>
        {({ data }) => (
          <Table label="API keys" head={head}>
            {data.map((key) => (
              <tr key={key.id}>
                <td>
                  <Cut text={key.name} />
                  <p className="quiet">
                    <code>{key.hint}</code>
                  </p>
                </td>
                <td>
                  <Status of={stateOf(key)} />
                  {key.expiresAt && <p className="quiet">until {when(key.expiresAt)}</p>}
                  <p className="quiet">
                    {key.lastUsedAt ? `used ${when(key.lastUsedAt)}` : 'not used yet'}
                  </p>
                </td>
                <td className="several">{permissionsOf(key)}</td>
                <td>
                  {stateOf(key) === 'active' && (
                    <Sure
                      what="Revoke"
                      surely="Revoke for good"
                      label={`Revoke ${key.name}`}
                      busy={busy}
                      onSure={() => revoke(key.id)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Show>
      <Create
        onCreated={(key) => {
          setMade(key)
          found.reload()
        }}
      />
    </Page>
  )
}

/** The name of the preset that matches a key's permissions, else the list of them. */
function permissionsOf({ scopes }: Key): string {
  const isSame = ([, preset]: (typeof sets)[number]) =>
    new Set<string>(preset).symmetricDifference(new Set(scopes)).size === 0
  return sets.find(isSame)?.[0] ?? scopes.join(', ')
}

const sets = [
  ['everything', presets.full],
  ['reading everything', presets.read_only],
  ['webhooks', presets.webhook_only],
] as const

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt) return 'revoked'
  return expiresAt && new Date(expiresAt) <= new Date() ? 'expired' : 'active'
}

function Create({ onCreated }: { onCreated: (made: Made) => void }) {
  const { busy, refusal, run } = useAction()
  const make = useMaking<Made>(path)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const expiresAt = fields.get('expiresAt')
    void run(async () => {
      const wanted = {
        name: fields.get('name'),
        scopes: fields.getAll('scopes'),
        ...(expiresAt && { expiresAt }),
      }
      const made = await make(wanted)
      onCreated(made)
      // What is lost is wanted again.
      if (made.key) form.reset()
    }, form)
  }
  return (
    <form className="card form" onSubmit={submit} aria-label="New API key">
      <h2>New API key</h2>
      <Field label="Name" name="name" maxLength={256} placeholder="Billing agent" required />
      <fieldset>
        <legend>Permissions</legend>
        {presets.full.map((scope) => (
          <label key={scope} className="check">
            <input type="checkbox" name="scopes" value={scope} /> {scope}
          </label>
        ))}
      </fieldset>
      <Field label="Expires at the end of (UTC, optional)" name="expiresAt" type="date" />
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          Create key
        </button>
      </p>
    </form>
  )
}
