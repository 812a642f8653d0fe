/** The result of a check; a problem comes with a remedy. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'problem'
  readonly what: string
  readonly detail: string
  readonly remedy: string | null
}

export function ok(what: string, detail: string): Finding {
  return { verdict: 'ok', what, detail, remedy: null }
}

/** A finding that is not a fault, but something an operator may not want. */
export function note(what: string, detail: string): Finding {
  return { verdict: 'note', what, detail, remedy: null }
}

export function problem(what: string, detail: string, remedy: string): Finding {
  return { verdict: 'problem', what, detail, remedy }
}
