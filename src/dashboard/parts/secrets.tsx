import { type ReactNode, useEffect, useRef } from 'react'
import { Copy } from './parts.tsx'

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
