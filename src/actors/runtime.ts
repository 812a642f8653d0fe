import { DomainError, noSuch } from '../domain/error.ts'
import { deadlineMs } from '../storage/postgres/db.ts'

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
   * with the entity afterwards. Rejects with what `decide` refused, with `overloaded` if the
   * mailbox is full or 20 commits in a row lost the race, or with `unavailable` if its turn has not
   * come after 6 s; it is never run then.
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
  /**
   * How long a command waits for its turn; if absent 6 s, as long as a statement's caller waits.
   */
  readonly maxWaitMs?: number
}

type Task<State, Command> = {
  readonly command: Told<Command>
  readonly sinceMs: number
  readonly resolve: (state: State) => void
  readonly reject: (error: unknown) => void
}

type Box<State, Command> = {
  readonly id: string
  state: State | undefined
  running: boolean
  /** Refuses those whose time is over, while anybody waits behind the one that runs. */
  looking: ReturnType<typeof setInterval> | null
  usedAtMs: number
  readonly tasks: Task<State, Command>[]
}

const maxLostRaces = 20
const lookEveryMs = 100

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
  const maxWaitMs = options.maxWaitMs ?? deadlineMs
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
      box.tasks.push({ command, sinceMs: performance.now(), resolve, reject })
      if (!box.running) void work(box)
      else box.looking ??= setInterval(() => refuseLate(box), lookEveryMs)
    })
  }

  function boxOf(id: string): Box<State, Command> {
    const known = boxes.get(id)
    // Re-inserting keeps the map in order of use, so its first entry is the one to evict.
    if (known) boxes.delete(id)
    const box = known ?? newBox<State, Command>(id)
    box.usedAtMs = options.now().getTime()
    boxes.set(id, box)
    return box
  }

  async function work(box: Box<State, Command>): Promise<void> {
    box.running = true
    busy++
    for (let task = next(box); task; task = next(box)) {
      try {
        task.resolve(await step(box, task.command))
      } catch (error) {
        box.state = undefined
        task.reject(error)
      }
    }
    if (box.looking) clearInterval(box.looking)
    box.looking = null
    box.running = false
    busy--
    evict()
    if (busy === 0) for (const wake of idleWaiters) wake()
  }

  function next(box: Box<State, Command>): Task<State, Command> | undefined {
    refuseLate(box)
    return box.tasks.shift()
  }

  function refuseLate(box: Box<State, Command>): void {
    const lateMs = performance.now() - maxWaitMs
    const firstInTime = box.tasks.findIndex(({ sinceMs }) => sinceMs > lateMs)
    const late = box.tasks.splice(0, firstInTime < 0 ? box.tasks.length : firstInTime)
    if (late.length === 0) return
    const refusal = new DomainError('unavailable', 'The resource is busy; try again shortly', {
      operatorText: `nothing came back to the mailbox of ${box.id} in ${maxWaitMs} ms`,
      retryAfterSeconds: 1,
    })
    for (const { reject } of late) reject(refusal)
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
      if (before === undefined) throw noSuch('resource')
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

function newBox<State, Command>(id: string): Box<State, Command> {
  return { id, state: undefined, running: false, looking: null, usedAtMs: 0, tasks: [] }
}

function isLookUp<Command>(told: Told<Command>): told is () => Promise<Command> {
  return typeof told === 'function'
}
