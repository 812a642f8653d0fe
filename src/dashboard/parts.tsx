import { type ReactNode, useEffect, useState } from 'react'
import type { Loaded } from './api.ts'

/** What all pages are made of. */

export function Page({
  title,
  action,
  children,
}: {
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Quittance`
  }, [title])
  return (
    <>
      <header className="page-head">
        <h1>{title}</h1>
        {action}
      </header>
      {children}
    </>
  )
}

export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** What was loaded, or why not yet. */
export function Show<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ReactNode }) {
  if (from.error && from.data === null) return <Failure message={from.error} again={from.reload} />
  if (from.data === null)
    return (
      <p className="quiet" role="status">
        Loading…
      </p>
    )
  return (
    <>
      {from.error && <Failure message={from.error} again={from.reload} />}
      {children(from.data)}
    </>
  )
}

function Failure({ message, again }: { message: string; again: () => void }) {
  return (
    <div className="failure" role="alert">
      <p>{message}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>
}

export function Status({ of }: { of: string }) {
  return <span className={`status status-${of}`}>{of.replaceAll('_', ' ')}</span>
}

/** A table that scrolls by itself where the window is narrow. */
export function Table({
  label,
  head,
  children,
}: {
  label: string
  head: readonly string[]
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" className={numeric.has(name) ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

const numeric = new Set(['Total', 'Net', 'Tax', 'Rate', 'Invoices', 'Attempts'])

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A labelled input; its hint and label are read out together. */
export function Field({
  label,
  name,
  ...rest
}: { label: string; name: string } & React.InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="field">
      <span>{label}</span>
      <input name={name} {...rest} />
    </label>
  )
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" aria-label={label} onClick={copy}>
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  )
}

/** Something the service is asked to do: whether it is under way, and what it refused with. */
export function useAction(): {
  readonly busy: boolean
  readonly refusal: ReactNode
  run(act: () => Promise<unknown>): Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState<string | null>(null)
  async function run(act: () => Promise<unknown>) {
    setBusy(true)
    setMessage(null)
    try {
      await act()
    } catch (error) {
      setMessage((error as Error).message)
    }
    setBusy(false)
  }
  return {
    busy,
    refusal: message && (
      <p className="refusal" role="alert">
        {message}
      </p>
    ),
    run,
  }
}
