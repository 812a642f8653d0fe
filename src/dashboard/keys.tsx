import { type FormEvent, useState } from 'react'
import { presets } from '../domain/scopes.ts'
import { call, useLoaded } from './api.ts'
import { when } from './format.ts'
import { Copy, Field, Page, Show, Status, Table, useAction } from './parts.tsx'

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

const path = '/api/keys'
const head = ['Name', 'Key', 'State', 'Permissions', 'Last used', 'Expires', 'Revoke']

export function Keys() {
  const found = useLoaded<{ readonly data: readonly Key[] }>(path)
  const { busy, refusal, run } = useAction()
  const [secret, setSecret] = useState<string | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const revoke = (id: string) =>
    run(async () => {
      await call('DELETE', `${path}/${id}`)
      setAsked(null)
      found.reload()
    })
  return (
    <Page title="API keys">
      {secret && <Secret text={secret} />}
      {refusal}
      <Show from={found}>
        {({ data }) => (
          <Table label="API keys" head={head}>
            {data.map((key) => (
              <tr key={key.id}>
                <td>{key.name}</td>
                <td>
                  <code>{key.hint}</code>
                </td>
                <td>
                  <Status of={stateOf(key)} />
                </td>
                <td className="several">{key.scopes.join(', ')}</td>
                <td>{key.lastUsedAt ? when(key.lastUsedAt) : '—'}</td>
                <td>{key.expiresAt ? when(key.expiresAt) : 'never'}</td>
                <td>
                  {stateOf(key) === 'active' && (
                    <Revoke
                      name={key.name}
                      busy={busy}
                      isAsked={asked === key.id}
                      onAsk={(isAsked) => setAsked(isAsked ? key.id : null)}
                      onRevoke={() => revoke(key.id)}
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
          setSecret(key)
          found.reload()
        }}
      />
    </Page>
  )
}

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt) return 'revoked'
  return expiresAt && new Date(expiresAt) <= new Date() ? 'expired' : 'active'
}

/** Asks once more: whoever uses the key is locked out. */
function Revoke(props: {
  name: string
  busy: boolean
  isAsked: boolean
  onAsk: (isAsked: boolean) => void
  onRevoke: () => void
}) {
  const { name, busy, isAsked, onAsk, onRevoke } = props
  if (!isAsked)
    return (
      <button type="button" aria-label={`Revoke ${name}`} onClick={() => onAsk(true)}>
        Revoke
      </button>
    )
  return (
    <span className="actions">
      <button type="button" className="primary" disabled={busy} onClick={onRevoke}>
        Revoke for good
      </button>
      <button type="button" onClick={() => onAsk(false)}>
        Keep
      </button>
    </span>
  )
}

function Create({ onCreated }: { onCreated: (key: string) => void }) {
  const { busy, refusal, run } = useAction()
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
      onCreated((await call<{ readonly key: string }>('POST', path, wanted)).key)
      form.reset()
    })
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
      <Field label="Expires, at midnight UTC (optional)" name="expiresAt" type="date" />
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          Create key
        </button>
      </p>
    </form>
  )
}

function Secret({ text }: { text: string }) {
  return (
    <div className="secret" role="status">
      <p>The API key, shown this once:</p>
      <p>
        <code>{text}</code> <Copy text={text} label="Copy API key" />
      </p>
    </div>
  )
}
