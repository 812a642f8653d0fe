import { DomainError } from '../domain/error.ts'

/** The behaviour of one kind of entity; `commit` returns false if another process was faster. */
export type Actor<State, Command, Event> = {
  load(id: string): Promise<State | undefined>
  decide(state: State | undefined, command: Command, now: Date): readonly Event[]
  evolve(state: State | undefined, events: readonly Event[], now: Date): State | undefined
  commit(write: { before: State; after: State; events: readonly Event[] }): Promise<boolean>
  /** Whether `state` may serve the next command without a new read; absent: always. */
  mayKeep?(state: State): boolean
}

/** The resident entities of one kind, by id; `Limits` bounds how many are kept in memory. */
export type Actors<State, Command> = {
  /**
   * Runs one command on one entity, after all commands submitted before it: load → decide → commit.
   * A command that is a function is called while the entity is being loaded, on each try. Resolves
   * with the entity afterwards. Rejects with what `decide` refused, or with `overloaded` if the
   * mailbox is full or 20 commits in a row lost the race.
   */
  tell(id: string, command: Told<Command>): Promise<State>
  /** Drops these entities from memory because somebody else changed them. */
  forget(ids: Iterable<string>): void
  /** Resolves once every mailbox is empty; commands that arrive meanwhile are still run. */
  drain(): Promise<void>
}

/** A command, or a function that looks it up. */
export type Told<Command> = Command | (() => Promise<Command>)

type Limits = {
  readonly maxMailbox: number
  readonly maxResident: number
  readonly idleMs: number
}

type Task<State, Command> = {
  readonly command: Told<Command>
  readonly resolve: (state: State) => void
  readonly reject: (error: unknown) => void
}

type Box<State, Command> = {
  readonly id: string
  state: State | undefined
  running: boolean
  usedAtMs: number
  readonly tasks: Task<State, Command>[]
}

const maxLostRaces = 20

/**
 * Creates the mailboxes of one kind of entity: commands for one id run one at a time, those for
 * different ids concurrently.
 */
export function createActors<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  options: { now: () => Date } & Limits,
): Actors<State, Command> {
  const boxes = new Map<string, Box<State, Command>>()
  const idleWaiters = new Set<() => void>()
  let busy = 0

  function tell(id: string, command: Told<Command>): Promise<State> {
    const box = boxOf(id)
    if (box.tasks.length >= options.maxMailbox) {
      throw new DomainError('overloaded', 'Too many requests for one resource; try again', {
        operatorText: `mailbox of ${id} is full`,
        retryAfterSeconds: 1,
      })
    }
    return new Promise((resolve, reject) => {
      box.tasks.push({ command, resolve, reject })
      if (!box.running) void work(box)
    })
  }

  function boxOf(id: string): Box<State, Command> {
    const known = boxes.get(id)
    // Re-inserting keeps the map in order of use, so its first entry is the one to evict.
    if (known) boxes.delete(id)
    const box = known ?? { id, state: undefined, running: false, usedAtMs: 0, tasks: [] }
    box.usedAtMs = options.now().getTime()
    boxes.set(id, box)
    return box
  }

  async function work(box: Box<State, Command>): Promise<void> {
    box.running = true
    busy++
    for (let task = box.tasks.shift(); task; task = box.tasks.shift()) {
      try {
        task.resolve(await step(box, task.command))
      } catch (error) {
        box.state = undefined
        task.reject(error)
      }
    }
    box.running = false
    busy--
    evict()
    if (busy === 0) for (const wake of idleWaiters) wake()
  }

  async function step(box: Box<State, Command>, told: Told<Command>): Promise<State> {
    for (let lost = 0; lost < maxLostRaces; lost++) {
      const kept = box.state
      const [before, command] = await Promise.all([
        kept ?? actor.load(box.id),
        isLookUp(told) ? told() : told,
      ])
      const now = options.now()
      const events = decideOn(before, command, now, kept !== undefined)
      // State in memory may be outdated: a refusal or "nothing to do" counts only on a fresh read.
      if (events === 'look again' || (events.length === 0 && kept !== undefined)) {
        box.state = undefined
        continue
      }
      if (before === undefined) throw new DomainError('not_found', 'No such resource')
      if (events.length === 0) return remember(box, before)
      const after = actor.evolve(before, events, now)
      if (after === undefined) throw new Error('an entity cannot cease to exist')
      if (await actor.commit({ before, after, events })) return remember(box, after)
      box.state = undefined
    }
    throw new DomainError('overloaded', 'The resource is changing too fast; try again', {
      operatorText: `${box.id} lost ${maxLostRaces} races`,
      retryAfterSeconds: 1,
    })
  }

  function decideOn(before: State | undefined, command: Command, now: Date, isKept: boolean) {
    try {
      return actor.decide(before, command, now)
    } catch (error) {
      if (isKept && error instanceof DomainError) return 'look again'
      throw error
    }
  }

  function remember(box: Box<State, Command>, state: State): State {
    box.state = actor.mayKeep?.(state) === false ? undefined : state
    return state
  }

  function evict(): void {
    const oldestMs = options.now().getTime() - options.idleMs
    for (const [id, box] of boxes) {
      if (boxes.size <= options.maxResident && box.usedAtMs >= oldestMs) return
      if (!box.running) boxes.delete(id)
    }
  }

  return {
    tell: (id, command) => {
      try {
        return tell(id, command)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    forget(ids) {
      for (const id of ids) {
        const box = boxes.get(id)
        if (box) box.state = undefined
      }
    },
    drain() {
      if (busy === 0) return Promise.resolve()
      return new Promise((resolve) => {
        function wake(): void {
          idleWaiters.delete(wake)
          resolve()
        }
        idleWaiters.add(wake)
      })
    },
  }
}

function isLookUp<Command>(told: Told<Command>): told is () => Promise<Command> {
  return typeof told === 'function'
}
