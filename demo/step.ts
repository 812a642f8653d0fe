import type { ListrTask } from 'listr2'

export type Step = ListrTask<unknown>

const limitMs = 60_000

/** A terminal without columns has no room for a list. */
export const isList = process.stdout.isTTY && process.stdout.columns > 0

/**
 * Resolves to false on a signal. The listeners stay: a library that finds only its own would end
 * the process.
 */
export const interrupted: Promise<false> = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => resolve(false))
})

/** Shows outcome and duration: in a list on a terminal, otherwise in a line. */
export function step(title: string, run: (say: (text: string) => void) => Promise<string>): Step {
  return {
    title,
    async task(_, shown) {
      await waitIfInterrupted()
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
        // Ctrl-C reaches what was started as well, and its end may be heard of first.
        await waitIfInterrupted(200)
        line('not ok', '')
        throw error
      }
    },
  }
}

/** For ever: the process ends, and the list shows no failure that is none. */
async function waitIfInterrupted(withinMs = 0): Promise<void> {
  const isGoingOn = await Promise.race([interrupted, Bun.sleep(withinMs).then(() => true)])
  if (!isGoingOn) await new Promise(() => {})
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
