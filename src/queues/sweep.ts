export type Sweep = {
  /**
   * Sweeps now and then every `everyMs`, by a plain timer, which cannot be lost with the queues.
   */
  start(): void
  /**
   * Runs one sweep and returns what each task found. A task that fails, or still runs from an
   * earlier sweep, is left out.
   */
  run(): Promise<Readonly<Record<string, number>>>
  /** Stops further sweeps; resolves once the running one is over. */
  stop(): Promise<void>
}

/** The tasks of the sweep. Each returns how many pieces of overdue work it found and dealt with. */
export type Tasks = Readonly<Record<string, () => Promise<number>>>

/** Looks for due work at intervals. */
export function createSweep(options: {
  everyMs: number
  tasks: Tasks
  log: { info(line: object, message: string): void; error(line: object, message: string): void }
}): Sweep {
  const running = new Map<string, Promise<unknown>>()
  let timer: Timer | undefined

  async function run(): Promise<Readonly<Record<string, number>>> {
    const idle = Object.entries(options.tasks).filter(([name]) => !running.has(name))
    const found = await Promise.all(idle.map(([name, task]) => attempt(name, task)))
    const counts = Object.fromEntries(found.filter((entry) => entry !== null))
    const isNews = Object.values(counts).some((count) => count > 0)
    if (isNews) options.log.info(counts, 'the sweep found work')
    return counts
  }

  async function attempt(
    name: string,
    task: () => Promise<number>,
  ): Promise<[string, number] | null> {
    try {
      const work = task()
      running.set(name, work)
      return [name, await work]
    } catch (error) {
      options.log.error({ err: error, task: name }, 'a task of the sweep failed')
      return null
    } finally {
      running.delete(name)
    }
  }

  return {
    start() {
      timer ??= setInterval(run, options.everyMs)
      void run()
    },
    run,
    async stop() {
      clearInterval(timer)
      await Promise.allSettled(running.values())
    },
  }
}
