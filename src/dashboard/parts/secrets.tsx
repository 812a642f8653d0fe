import { type ReactNode, useEffect, useRef } from 'react'
import { Copy } from './parts.tsx'

export function Secret(props: {
  name: string
  text: string
  caution?: string | false | undefined
}) {
  const { name, text, caution } = props
  return (
    <Outcome>
      <p>Your new {name}, shown only once:</p>
      {caution && <p className="long">{caution}</p>}
      <p className="copy-line">
        <code className="long">{text}</code> <Copy text={text} label={`Copy ${name}`} />
      </p>
    </Outcome>
  )
}

export function LostSecret({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Outcome>
      <p className="long">
        The response with the {name} was lost, and it cannot be shown again. {children}
      </p>
    </Outcome>
  )
}

function Outcome({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  // The form may be far down the page.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div className="secret" role="status" ref={place}>
      {children}
    </div>
  )
}
