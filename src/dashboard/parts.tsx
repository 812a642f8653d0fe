import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { cursorsIn, turned } from './address.ts'
import type { Loaded, Refusal } from './api.ts'
import { inLabels } from './forms.ts'

/** The frame of every page: title, link to the page above, action and content. */

export function Page({
  title,
  above,
  action,
  children,
}: {
  title: string
  /** The parent page: its link and its name. */
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

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Quittance`
  }, [title])
}

/**
 * The place in a list that is read by cursor, by the query of its address: what the request says of
 * it, and how its `Pager` leads from there.
 */
export function placeIn(query: string) {
  const cursors = cursorsIn(query)
  const last = cursors.at(-1)
  const turnTo = (next: readonly string[]) => location.replace(turned(location.hash, next))
  return {
    isFirst: last === undefined,
    parameter: last === undefined ? '' : `&cursor=${encodeURIComponent(last)}`,
    turns: (nextCursor: string | null) => ({
      back: last === undefined ? null : () => turnTo(cursors.slice(0, -1)),
      onward: nextCursor ? () => turnTo([...cursors, nextCursor]) : null,
    }),
  }
}

/** Leads through the pages of a list: `back` and `onward` are null where there is none. */
export function Pager({
  back,
  onward,
  names = ['Newer', 'Older'],
  children,
}: {
  back: (() => void) | null
  onward: (() => void) | null
  names?: readonly [back: string, onward: string]
  children?: ReactNode
}) {
  return (
    <p className="pager">
      <button type="button" disabled={!back} onClick={() => back?.()}>
        {names[0]}
      </button>
      {children}
      <button type="button" disabled={!onward} onClick={() => onward?.()}>
        {names[1]}
      </button>
    </p>
  )
}

export function Card({
  title,
  isWide,
  children,
}: {
  title: string
  /** Whether the card takes the whole row. */
  isWide?: true
  children: ReactNode
}) {
  return (
    <section className={isWide ? 'card wide' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Shows loaded data, or that it is loading, or why loading failed. */
export function Show<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ReactNode }) {
  const { data, error, reload } = from
  if (error && data === null) return <Failure error={error} again={reload} />
  if (data === null)
    return (
      <div className="loading" role="status">
        <span className="unseen">Loading…</span>
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
  // Retrying would not help: it does not exist, or this key may not see it.
  if (error.status === 404) return <Empty>{error.message}.</Empty>
  if (error.status === 403) return <p className="quiet">{error.message}.</p>
  return (
    <div className="failure" role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>
}

/** A text cut to the width of its column; the full text appears on hover. */
export function Cut({ text }: { text: string }) {
  return (
    <span className="cut" title={text} dir="auto">
      {text}
    </span>
  )
}

/** Text that somebody wrote, in its lines. Of a long one only the beginning is shown at first. */
export function Prose({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > 300 || text.split('\n').length > 6
  return (
    <>
      <span className={isLong && !isWhole ? 'lines first-lines' : 'lines'}>{text}</span>
      {isLong && (
        <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}

export function Status({ of }: { of: string }) {
  return <span className={`status status-${of}`}>{of.replaceAll('_', ' ')}</span>
}

/** A table that scrolls on its own in a narrow window. */
export function Table({
  label,
  head,
  foot,
  folds,
  children,
}: {
  label: string
  head: readonly string[]
  /** The rows below those of the body. */
  foot?: ReactNode
  /**
   * Whether it does not scroll: in a narrow window each row becomes several lines of two cells. A
   * cell with a `data-name` is a line of its own, with this name.
   */
  folds?: true
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={folds ? 'table folds' : 'table'} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" className={classOf(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </section>
  )
}

function classOf(column: string): string | undefined {
  if (numeric.has(column)) return 'number'
  return column === 'Created' ? 'minor' : undefined
}

const numeric = new Set(['Amount', 'Total', 'Net', 'Tax', 'Rate', 'Limit', 'Invoices', 'Block'])

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A labelled input. `name` is the path in the API; refusals of it are told by the label. */
export function Field({
  label,
  name,
  hint,
  ...rest
}: { label: string; name: string; hint?: string } & React.InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="field">
      <span>{label}</span>
      <input name={name} {...rest} />
      {hint && <small className="quiet">{hint}</small>}
    </label>
  )
}

/** A labelled input of several lines. */
export function Area({
  label,
  name,
  ...rest
}: { label: string; name: string } & React.TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <label className="field">
      <span>{label}</span>
      <textarea name={name} rows={3} {...rest} />
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
  // The clipboard is only available in secure contexts.
  if (!navigator.clipboard) return null
  return (
    <button type="button" aria-label={copied ? undefined : label} onClick={copy}>
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  )
}

/** A click this soon after a button appears was meant for the button that stood there before. */
const unreadMs = 500

/** A button that asks for confirmation, for actions that cannot be undone. */
export function Sure(props: {
  /** The text of the button, and the text of the confirmation. */
  what: string
  surely: string
  /** The accessible name, where several such buttons have the same text. */
  label?: string
  busy: boolean
  onSure: () => void
}) {
  const { what, surely, label = what, busy, onSure } = props
  const [state, setState] = useState<'new' | 'asking' | 'asked'>('new')
  const askedAtMs = useRef(0)
  function confirm({ detail, timeStamp }: MouseEvent) {
    // Ignores the second click of a double click.
    if (detail > 1 || timeStamp - askedAtMs.current < unreadMs) return
    setState('asked')
    onSure()
  }
  if (state !== 'asking')
    return (
      <button
        type="button"
        aria-label={label}
        // biome-ignore lint/a11y/noAutofocus: it is back where the pressed one was
        autoFocus={state === 'asked'}
        onClick={({ timeStamp }) => {
          askedAtMs.current = timeStamp
          setState('asking')
        }}
      >
        {what}
      </button>
    )
  return (
    <span className="sure">
      <button
        type="button"
        className="grave"
        disabled={busy}
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed has made room for this one
        autoFocus
        // A key held down keeps firing.
        onKeyDown={(event) => event.repeat && event.preventDefault()}
        onClick={confirm}
      >
        {surely}
      </button>
      <button type="button" onClick={({ detail }) => detail < 2 && setState('asked')}>
        Keep
      </button>
    </span>
  )
}

/** A secret that is shown only once, with a word of caution if there is one. */
export function Secret(props: {
  name: string
  text: string
  caution?: string | false | undefined
}) {
  const { name, text, caution } = props
  return (
    <Outcome>
      <p>The {name}, shown this once:</p>
      {caution && <p className="long">{caution}</p>}
      <p className="copy-line">
        <code className="long">{text}</code> <Copy text={text} label={`Copy ${name}`} />
      </p>
    </Outcome>
  )
}

/** Says that the only answer with a secret was lost, and what helps. */
export function LostSecret({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Outcome>
      <p className="long">
        The answer with the {name} was lost, and it is not shown again. {children}
      </p>
    </Outcome>
  )
}

function Outcome({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  // The form that requested it may be far down the page.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div className="secret" role="status" ref={place}>
      {children}
    </div>
  )
}

/** The label of a form's field with this name, or the legend of the set it belongs to. */
function labelIn(form: HTMLFormElement, name: string): string | null {
  const field = form.querySelector(`[name="${CSS.escape(name)}"]`)
  const label =
    field?.closest('fieldset')?.querySelector('legend') ??
    field?.closest('label')?.querySelector('span')
  return label?.textContent ?? null
}

/**
 * Runs actions of a page: whether one is in progress, and the message of the last one that failed.
 */
export function useAction(): {
  readonly busy: boolean
  readonly refusal: ReactNode
  /** With a form, what the service refuses about its fields is told by their labels. */
  run(act: () => Promise<unknown>, form?: HTMLFormElement): Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState<string | null>(null)
  async function run(act: () => Promise<unknown>, form?: HTMLFormElement) {
    setBusy(true)
    setMessage(null)
    try {
      await act()
    } catch (error) {
      setMessage(
        form ? inLabels(error as Error, (path) => labelIn(form, path)) : (error as Error).message,
      )
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
