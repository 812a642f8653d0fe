export type Finding = {
  readonly verdict: 'ok' | 'note' | 'problem'
  readonly what: string
  readonly detail: string
  readonly remedy: string | null
}

export function ok(what: string, detail: string): Finding {
  return { verdict: 'ok', what, detail, remedy: null }
}

export function note(what: string, detail: string): Finding {
  return { verdict: 'note', what, detail, remedy: null }
}

export function problem(what: string, detail: string, remedy: string): Finding {
  return { verdict: 'problem', what, detail, remedy }
}
