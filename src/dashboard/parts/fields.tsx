import type { FormEvent, InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from 'react'
import { useAction } from './actions.tsx'

/** A card with a form; messages about its fields use their labels. */
export function Form(props: {
  title: string
  button: string
  onSubmit: (fields: FormData, form: HTMLFormElement) => Promise<void>
  onInput?: (() => void) | undefined
  children: ReactNode
}) {
  const { title, button, onSubmit, onInput, children } = props
  const { busy, refusal, run } = useAction()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void run(() => onSubmit(new FormData(form), form), form)
  }
  return (
    <form className="card form" onSubmit={submit} onInput={onInput} aria-label={title}>
      <h2>{title}</h2>
      {children}
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          {button}
        </button>
      </p>
    </form>
  )
}

/** Checkboxes that share a name. */
export function Checks(props: { legend: string; name: string; values: readonly string[] }) {
  const { legend, name, values } = props
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value} className="check">
          <input type="checkbox" name={name} value={value} /> {value}
        </label>
      ))}
    </fieldset>
  )
}

/** `name` is the path in the API's body. */
export function Field({
  label,
  name,
  hint,
  ...rest
}: { label: string; name: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="field">
      <span>{label}</span>
      <input name={name} {...rest} />
      {hint && <small className="quiet">{hint}</small>}
    </label>
  )
}

export function Area({
  label,
  name,
  ...rest
}: { label: string; name: string } & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <label className="field">
      <span>{label}</span>
      <textarea name={name} rows={3} {...rest} />
    </label>
  )
}
