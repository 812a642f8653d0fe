export type Problem = 'missing document' | 'altered' | 'missing receipt' | 'number' | 'balance'

export type Fault = {
  readonly problem: Problem
  /** The number of a document, a month, or a part of the file. */
  readonly of: string
  readonly message: string
}

/** Takes note of a fault. */
export type Note = (problem: Problem, of: string, message: string) => void

const mostFaults = 1_000

/** What is wrong with a file: the first of each kind and subject, a thousand at most. */
export function faultList() {
  const faults = new Map<string, Fault>()
  let count = 0
  const note: Note = (problem, of, message) => {
    const key = `${problem} ${of}`
    if (faults.has(key)) return
    count++
    if (faults.size < mostFaults) faults.set(key, { problem, of, message })
  }
  return { note, found: () => ({ count, faults: [...faults.values()] }) }
}
