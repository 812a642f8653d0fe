import type { ListrTask } from 'listr2'

export type Step = ListrTask<unknown>

const limitMs = 60_000

/** A terminal without columns has no room for a list. */
export const isList = process.stdout.isTTY && process.stdout.columns > 0

let isInterrupted = false

export function interruptSteps(): void {
  isInterrupted = true
}

/** Shows outcome and duration: in a list on a terminal, otherwise in a line. */
export function step(title: string, run: (say: (text: string) => void) => Promise<string>): Step {
  return {
    title,
    async task(_, shown) {
      if (isInterrupted) throw new Error('interrupted')
      const started = performance.now()
      const say = (text: string) => {
        shown.title = `${title}  ${dim(text)}`
      }
      const duration = () => `${((performance.now() - started) / 1_000).toFixed(2)} s`
      const line = (mark: string, rest: string) => {
        if (!isList) console.log(`${mark}  ${duration().padStart(7)}  ${title.trimEnd()}${rest}`)
      }
      try {
        const outcome = await inTime(run(say), title)
        say(`${duration()}  ${outcome}`)
        line('ok', `: ${outcome}`)
      } catch (error) {
        line('not ok', '')
        throw error
      }
    },
  }
}

export async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== null) return found
    await Bun.sleep(100)
  }
}

export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

function inTime<T>(work: Promise<T>, title: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`“${title}” took more than ${limitMs / 1_000} s`)),
      limitMs,
    )
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function dim(text: string): string {
  return isList ? `\u001b[2m${text}\u001b[22m` : text
}
