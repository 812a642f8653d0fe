import type { FormEvent } from 'react'
import { call, Refusal } from '../api.ts'
import { noteLogin } from '../hooks/session.ts'
import { useAction } from '../parts/actions.tsx'
import { Field } from '../parts/fields.tsx'
import { Mark } from '../parts/mark.tsx'
import { useTitle } from '../parts/parts.tsx'

/** `whyOver`: why the session before is. */
export function Login({ whyOver, onDone }: { whyOver: string | null; onDone: () => void }) {
  useTitle('Log in')
  const { busy, refusal, run } = useAction()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const key = `${new FormData(event.currentTarget).get('key')}`.trim()
    void run(async () => {
      const headers = { 'x-api-key': key }
      await call('POST', '/dashboard/session', undefined, { headers }).catch(inPlainWords)
      noteLogin(new Date())
      onDone()
    })
  }
  return (
    <main className="alone">
      <form className="card" onSubmit={submit}>
        <p className="brand">
          <Mark /> Quittance
        </p>
        <h1>Log in</h1>
        {whyOver && (
          <p className="notice" role="status">
            {whyOver}
          </p>
        )}
        <p className="quiet">Use an API key of your account. The session lasts an hour.</p>
        <Field label="API key" name="key" type="password" autoComplete="off" required autoFocus />
        {refusal}
        <button type="submit" className="primary" disabled={busy}>
          Log in
        </button>
      </form>
    </main>
  )
}

/** Replaces messages about the header with the key. */
function inPlainWords(error: unknown): never {
  if (error instanceof Refusal && error.status !== 401) throw error
  throw new Error('This key is invalid or has been revoked')
}
