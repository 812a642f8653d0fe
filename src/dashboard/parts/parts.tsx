import { type ReactNode, useEffect, useState } from 'react'
import type { Refusal } from '../api.ts'
import { short } from '../format.ts'
import type { Loaded } from '../hooks/use-loaded.ts'
import { useWords } from '../hooks/words.ts'

export function Page({
  title,
  above,
  action,
  children,
}: {
  title: string
  above?: readonly [href: string, name: string]
  action?: ReactNode
  children: ReactNode
}) {
  useTitle(title)
  return (
    <>
      <header className="page-head">
        <div>
          {above && (
            <p className="above">
              <a href={above[0]}>{above[1]}</a>
            </p>
          )}
          <h1 className="long">{title}</h1>
        </div>
        {action}
      </header>
      {children}
    </>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Quittance`
  }, [title])
}

export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function Show<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ReactNode }) {
  const { data, error, reload } = from
  const { say } = useWords()
  if (error && data === null) return <Failure error={error} again={reload} />
  if (data === null)
    return (
      <div className="loading" role="status">
        <span className="unseen">{say('loading')}</span>
      </div>
    )
  return (
    <>
      {error && <Failure error={error} again={reload} />}
      {children(data)}
    </>
  )
}

function Failure({ error, again }: { error: Refusal; again: () => void }) {
  const { say } = useWords()
  // Retrying would not help.
  if (error.status === 404) return <Empty title={error.message} />
  if (error.status === 403) return <p className="quiet">{error.message}.</p>
  return (
    <div className="failure" role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={again}>
        {say('tryAgain')}
      </button>
    </div>
  )
}

/** In place of a list: what is missing, why one would want it, and what to do next. */
export function Empty(props: { title: string; action?: ReactNode; children?: ReactNode }) {
  const { title, action, children } = props
  return (
    <div className="empty">
      <p className="what">{title}</p>
      {children && <p>{children}</p>}
      {action && <p>{action}</p>}
    </div>
  )
}

/** A link that looks like a button. What is not a page of the dashboard opens in another tab. */
export function LinkButton(props: { href: string; isPrimary?: true; children: ReactNode }) {
  const { href, isPrimary, children } = props
  const elsewhere = href.startsWith('#') ? {} : { target: '_blank', rel: 'noreferrer' }
  return (
    <a className={isPrimary ? 'button primary' : 'button'} href={href} {...elsewhere}>
      {children}
    </a>
  )
}

export function Json({ of }: { of: object }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>
  )
}

export function Cut({ text }: { text: string }) {
  return (
    <span className="cut" title={text} dir="auto">
      {text}
    </span>
  )
}

/** Long text is cut at first. */
export function Prose({ text }: { text: string }) {
  const { say } = useWords()
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > 300 || text.split('\n').length > 6
  return (
    <>
      <span className={isLong && !isWhole ? 'lines first-lines' : 'lines'}>{text}</span>
      {isLong && (
        <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {say(isWhole ? 'showLess' : 'showAll')}
        </button>
      )}
    </>
  )
}

export function Status({ of, text }: { of: string; text?: string }) {
  return <span className={`status status-${of}`}>{text ?? of.replaceAll('_', ' ')}</span>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A long id, address or hash: cut short, and to be copied whole. */
export function CodeFact({ name, text, copy }: { name: string; text: string; copy: string }) {
  return (
    <Fact name={name}>
      <code title={text}>{short(text)}</code> <Copy text={text} label={copy} />
    </Fact>
  )
}

/** A primary one shows its label. */
export function Copy(props: { text: string; label: string; isPrimary?: true }) {
  const { text, label, isPrimary } = props
  const { say } = useWords()
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  // The clipboard is only available in secure contexts.
  if (!navigator.clipboard) return null
  return (
    <button
      type="button"
      className={isPrimary && 'primary'}
      aria-label={copied ? undefined : label}
      onClick={copy}
    >
      <span aria-live="polite">{copied ? say('copied') : isPrimary ? label : say('copy')}</span>
    </button>
  )
}
