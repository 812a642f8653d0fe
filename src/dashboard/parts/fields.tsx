import type { InputHTMLAttributes, TextareaHTMLAttributes } from 'react'

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
