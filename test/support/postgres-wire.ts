/** A statement on a connection, seen from between a process and PostgreSQL. */
export type Moment = {
  /** `asked`: PostgreSQL has not got it yet. `answered`: PostgreSQL is done with it, and the process does not know yet. */
  readonly at: 'asked' | 'answered'
  /** In one line, however it is laid out in the source. */
  readonly text: string
  /** The SQLSTATE of an answer that is an error. */
  readonly code: string | null
}

/** Follows one connection, of a client that pipelines and prepares; bytes may come in any portions. */
export type Wire = {
  /** What is asked for with these bytes. */
  fromClient(bytes: Buffer): readonly Moment[]
  /** What is answered with these. */
  fromServer(bytes: Buffer): readonly Moment[]
}

export function followWire(): Wire {
  const prepared = new Map<string, string>()
  /** Statements by the round trip they belong to; the first is the one that opens the connection. */
  const roundTrips: string[][] = [[]]
  const ofClient = framing({ hasStartup: true })
  const ofServer = framing({ hasStartup: false })
  let asking: string[] = []
  let code: string | null = null

  function take({ type, body }: Message): readonly Moment[] {
    if (type === 'P') {
      const [name, text] = texts(body, 2)
      prepared.set(name ?? '', inOneLine(text ?? ''))
    } else if (type === 'B') {
      const [, name] = texts(body, 2)
      const text = prepared.get(name ?? '') ?? ''
      asking.push(text)
      return [{ at: 'asked', text, code: null }]
    } else if (type === 'S' || type === 'Q') {
      roundTrips.push(asking)
      asking = []
    }
    return []
  }

  function give({ type, body }: Message): readonly Moment[] {
    if (type === 'E') code = codeIn(body)
    if (type !== 'Z') return []
    const moments = (roundTrips.shift() ?? []).map((text) => ({
      at: 'answered' as const,
      text,
      code,
    }))
    code = null
    return moments
  }

  return {
    fromClient: (bytes) => ofClient(bytes).flatMap(take),
    fromServer: (bytes) => ofServer(bytes).flatMap(give),
  }
}

/** A statement with a space wherever there is white space. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

type Message = { readonly type: string; readonly body: Buffer }

/** Messages are a letter, a length and a body; only the very first of a client has no letter. */
function framing({ hasStartup }: { hasStartup: boolean }): (bytes: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0)
  let letterBytes = hasStartup ? 0 : 1
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const messages: Message[] = []
    for (;;) {
      if (rest.length < letterBytes + 4) return messages
      const end = letterBytes + rest.readInt32BE(letterBytes)
      if (rest.length < end) return messages
      const type = rest.toString('latin1', 0, letterBytes)
      messages.push({ type, body: rest.subarray(letterBytes + 4, end) })
      rest = rest.subarray(end)
      letterBytes = 1
    }
  }
}

/** The first so many of the texts that end with a zero. */
function texts(body: Buffer, count: number): readonly string[] {
  const found: string[] = []
  for (let at = 0; found.length < count; ) {
    const end = body.indexOf(0, at)
    found.push(body.toString('utf8', at, end))
    at = end + 1
  }
  return found
}

/** Fields are a letter and a text each; `C` is the SQLSTATE. */
function codeIn(body: Buffer): string | null {
  const fields = body.toString('utf8').split('\0')
  return fields.find((field) => field.startsWith('C'))?.slice(1) ?? null
}
