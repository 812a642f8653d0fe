import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isTrouble, tell } from '../hooks/trouble.ts'

export function useAction(): {
  readonly busy: boolean
  readonly refusal: ReactNode
  run(act: () => Promise<unknown>): Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const action = {}
    tell(action, isTrouble(error))
    return () => tell(action, false)
  }, [error])
  async function run(act: () => Promise<unknown>) {
    setBusy(true)
    setError(null)
    await act().catch(setError)
    setBusy(false)
  }
  return {
    busy,
    refusal: error && (
      <p className="refusal" role="alert">
        {error.message}
      </p>
    ),
    run,
  }
}

/** A click this soon after a button appeared was meant for the button in its place before. */
const tooSoonMs = 500

export function ConfirmButton(props: {
  text: string
  confirmText: string
  label?: string
  busy: boolean
  onConfirm: () => void
}) {
  const { text, confirmText, label = text, busy, onConfirm } = props
  const [state, setState] = useState<'new' | 'asking' | 'answered'>('new')
  const askedAtMs = useRef(0)
  function confirm({ detail, timeStamp }: MouseEvent) {
    // Ignores the second click of a double click.
    if (detail > 1 || timeStamp - askedAtMs.current < tooSoonMs) return
    setState('answered')
    onConfirm()
  }
  if (state !== 'asking')
    return (
      <button
        type="button"
        aria-label={label}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was pressed
        autoFocus={state === 'answered'}
        onClick={({ timeStamp }) => {
          askedAtMs.current = timeStamp
          setState('asking')
        }}
      >
        {text}
      </button>
    )
  return (
    <span className="sure">
      <button
        type="button"
        className="grave"
        disabled={busy}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was pressed
        autoFocus
        // A key held down keeps firing.
        onKeyDown={(event) => event.repeat && event.preventDefault()}
        onClick={confirm}
      >
        {confirmText}
      </button>
      <button type="button" onClick={({ detail }) => detail < 2 && setState('answered')}>
        Keep
      </button>
    </span>
  )
}
