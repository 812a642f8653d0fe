import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { emailLook } from '../../domain/email.ts'
import type { Detail } from '../../domain/error.ts'
import type { Refusal } from '../api.ts'
import { constraintText, type Fields, placedAt } from '../forms.ts'
import { useAction } from './actions.tsx'

/** What is wrong with each field, by its name. */
const Problems = createContext<ReadonlyMap<string, string>>(new Map())

/** A card with a form, which shows everything that is wrong at once, at the fields. */
export function Form(props: {
  title: string
  /** Absent where the page's heading is the title. */
  isUntitled?: true
  isWide?: true
  button: string
  /** What the browser cannot check. */
  check?: (fields: Fields) => readonly Detail[]
  onSubmit: (fields: FormData, form: HTMLFormElement) => Promise<void>
  onInput?: (() => void) | undefined
  /** Beside the button. */
  aside?: ReactNode
  children: ReactNode
}) {
  const { title, isUntitled, isWide, button, check, onSubmit, onInput, aside, children } = props
  const { busy, refusal, run } = useAction()
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const isAnswered = useRef(false)
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // Who corrects one field is not taken to the next.
    if (problems.size === 0 || !isAnswered.current) return
    isAnswered.current = false
    const wrong = place.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    const folded = wrong?.closest('details')
    if (folded) folded.open = true
    wrong?.focus()
  }, [problems])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const found = new Map([...(check?.(fields) ?? []).map(atPath), ...constraintsOf(form)])
    answer(found)
    void run(async () => {
      if (found.size > 0) return
      try {
        await onSubmit(fields, form)
      } catch (error) {
        const placed = placedAt(namesIn(form), (error as Refusal).details)
        if (placed.size === 0) throw error
        answer(placed)
      }
    })
  }
  function answer(found: ReadonlyMap<string, string>) {
    isAnswered.current = true
    setProblems(found)
  }
  function correct({ target }: FormEvent) {
    const { name } = target as HTMLInputElement
    if (problems.has(name)) setProblems(new Map([...problems].filter(([path]) => path !== name)))
    onInput?.()
  }
  return (
    <form
      className={isWide ? 'card form wide' : 'card form'}
      ref={place}
      noValidate
      onSubmit={submit}
      onInput={correct}
      aria-label={title}
    >
      {!isUntitled && <h2>{title}</h2>}
      <p className="quiet rule">Fields marked * are required.</p>
      <Problems value={problems}>{children}</Problems>
      {problems.size > 0 ? (
        <p className="refusal" role="alert">
          {countOf(problems.size)}
        </p>
      ) : (
        refusal
      )}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          {button}
        </button>
        {aside}
      </p>
    </form>
  )
}

function atPath({ path, message }: Detail): [string, string] {
  return [path, message]
}

function countOf(problems: number): string {
  return problems === 1 ? 'Correct the marked field.' : `Correct the ${problems} marked fields.`
}

function namesIn(form: HTMLFormElement): readonly string[] {
  return Array.from(form.elements, (element) => element.getAttribute('name') ?? '').filter(Boolean)
}

function constraintsOf(form: HTMLFormElement): [string, string][] {
  return Array.from(form.elements).flatMap((element): [string, string][] => {
    if (element instanceof HTMLFieldSetElement) {
      const isMissing = element.dataset.required && !element.querySelector(':checked')
      return isMissing ? [[element.dataset.required ?? '', 'Choose at least one.']] : []
    }
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return []
    return element.validity.valid ? [] : [[element.name, constraintText(element)]]
  })
}

/** Checkboxes that share a name. */
export function Checks(props: {
  legend: string
  name: string
  values: readonly string[]
  chosen?: readonly string[] | undefined
}) {
  const { legend, name, values, chosen = [] } = props
  const { invalid, problem } = useProblem(name)
  return (
    <fieldset data-required={name}>
      <legend>{legend}</legend>
      {values.map((value, at) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
            {...(at === 0 && invalid)}
          />{' '}
          {value}
        </label>
      ))}
      {problem}
    </fieldset>
  )
}

/** The service's own rule: browsers accept more. */
const email = { pattern: emailLook.source, maxLength: 254 }

/** `name` is the path in the API's body; `wrong` is what is wrong before the form is sent. */
export function Field({
  label,
  name,
  hint,
  wrong,
  ...rest
}: {
  label: string
  name: string
  hint?: string | undefined
  wrong?: string | undefined
} & ComponentProps<'input'>) {
  const { invalid, problem } = useProblem(name, wrong)
  return (
    <label className="field">
      <span>{label}</span>
      <input name={name} {...(rest.type === 'email' && email)} {...rest} {...invalid} />
      {hint && <small className="quiet">{hint}</small>}
      {problem}
    </label>
  )
}

export function Area({
  label,
  name,
  ...rest
}: { label: string; name: string } & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { invalid, problem } = useProblem(name)
  return (
    <label className="field">
      <span>{label}</span>
      <textarea name={name} rows={3} {...rest} {...invalid} />
      {problem}
    </label>
  )
}

export function Choice({
  label,
  name,
  hint,
  children,
  ...rest
}: {
  label: string
  name: string
  hint?: string | undefined
} & SelectHTMLAttributes<HTMLSelectElement>) {
  const { invalid, problem } = useProblem(name)
  return (
    <label className="field">
      <span>{label}</span>
      <select name={name} {...rest} {...invalid}>
        {children}
      </select>
      {hint && <small className="quiet">{hint}</small>}
      {problem}
    </label>
  )
}

function useProblem(name: string, wrong?: string) {
  const id = useId()
  const found = useContext(Problems).get(name)
  const message = wrong ?? found
  if (!message) return { invalid: {}, problem: null }
  return {
    invalid: { 'aria-invalid': true, 'aria-describedby': id },
    problem: (
      <small className="problem" id={id}>
        {message}
      </small>
    ),
  }
}
