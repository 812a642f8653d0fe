import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { inLabels } from '../forms.ts'

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

/** The label of a form's field with this name, or the legend of the set it belongs to. */
function labelIn(form: HTMLFormElement, name: string): string | null {
  const field = form.querySelector(`[name="${CSS.escape(name)}"]`)
  const label =
    field?.closest('fieldset')?.querySelector('legend') ??
    field?.closest('label')?.querySelector('span')
  return label?.textContent ?? null
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
