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

/** A command, or a function that reads what the command needs and returns it. */
export type Submitted<Command> = Command | (() => Promise<Command>)

type Options = {
  readonly now: () => Date
  readonly maxMailbox: number
  /** How many entities are kept in memory. */
  readonly maxResident: number
  readonly idleMs: number
  /** How long a command waits for its turn; by default as long as a statement's caller waits. */
  readonly maxWaitMs?: number
}

type Task<State, Command> = {
  readonly command: Submitted<Command>
  readonly sinceMs: number
  readonly resolve: (state: State) => void
  readonly reject: (error: unknown) => void
}

type Box<State, Command> = {
  readonly id: string
  state: State | undefined
  running: boolean
  /** Refuses commands whose time is over; runs while any waits behind the current one. */
  waitCheck: ReturnType<typeof setInterval> | null
  usedAtMs: number
  readonly tasks: Task<State, Command>[]
}

const maxLostRaces = 20
const checkEveryMs = 100

/**
 * Creates the mailboxes of one kind of entity: commands for one id run one at a time, those for
 * different ids concurrently.
 */
export function createActors<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  { now, maxMailbox, maxResident, idleMs, maxWaitMs = deadlineMs }: Options,
) {
  const boxes = new Map<string, Box<State, Command>>()
  const idleWaiters = new Set<() => void>()
  let busy = 0

  /**
   * Runs one command on one entity, after all commands submitted before it: load → decide → commit.
   * A command that is a function is called while the entity is being loaded, on each try. Resolves
   * with the entity afterwards. Rejects with what `decide` refused, with `overloaded` if the
   * mailbox is full or 20 commits in a row lost the race, or with `unavailable` if its turn has not
   * come after 6 s; it is never run then.
   */
  async function execute(id: string, command: Submitted<Command>): Promise<State> {
    const box = boxOf(id)
    if (box.tasks.length >= maxMailbox) throw full(id)
    return new Promise((resolve, reject) => {
      box.tasks.push({ command, sinceMs: performance.now(), resolve, reject })
      if (!box.running) void work(box)
      else box.waitCheck ??= setInterval(() => refuseLate(box, maxWaitMs), checkEveryMs)
    })
  }

  function boxOf(id: string): Box<State, Command> {
    const known = boxes.get(id)
    // Re-inserting keeps the map in order of use, so its first entry is the one to evict.
    if (known) boxes.delete(id)
    const box = known ?? newBox<State, Command>(id)
    box.usedAtMs = now().getTime()
    boxes.set(id, box)
    return box
  }

  async function work(box: Box<State, Command>): Promise<void> {
    box.running = true
    busy++
    for (let task = next(box, maxWaitMs); task; task = next(box, maxWaitMs)) {
      try {
        task.resolve(await step(actor, box, task.command, now))
      } catch (error) {
        box.state = undefined
        task.reject(error)
      }
    }
    if (box.waitCheck) clearInterval(box.waitCheck)
    box.waitCheck = null
    box.running = false
    busy--
    evict()
    if (busy === 0) for (const wake of idleWaiters) wake()
  }

  function evict(): void {
    const oldestMs = now().getTime() - idleMs
    for (const [id, box] of boxes) {
      if (boxes.size <= maxResident && box.usedAtMs >= oldestMs) return
      if (!box.running) boxes.delete(id)
    }
  }

  /** Drops these entities from memory because somebody else changed them. */
  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      const box = boxes.get(id)
      if (box) box.state = undefined
    }
  }

  /** Resolves once every mailbox is empty; commands that arrive meanwhile are still run. */
  async function drain(): Promise<void> {
    if (busy === 0) return
    await new Promise<void>((resolve) => {
      function wake(): void {
        idleWaiters.delete(wake)
        resolve()
      }
      idleWaiters.add(wake)
    })
  }

  return { execute, forget, drain }
}

function newBox<State, Command>(id: string): Box<State, Command> {
  return { id, state: undefined, running: false, waitCheck: null, usedAtMs: 0, tasks: [] }
}

function next<State, Command>(
  box: Box<State, Command>,
  maxWaitMs: number,
): Task<State, Command> | undefined {
  refuseLate(box, maxWaitMs)
  return box.tasks.shift()
}

function refuseLate<State, Command>(box: Box<State, Command>, maxWaitMs: number): void {
  const lateMs = performance.now() - maxWaitMs
  const firstInTime = box.tasks.findIndex(({ sinceMs }) => sinceMs > lateMs)
  const late = box.tasks.splice(0, firstInTime < 0 ? box.tasks.length : firstInTime)
  if (late.length === 0) return
  const refusal = new DomainError('unavailable', 'The resource is busy; try again shortly', {
    operatorText: `a command waited ${maxWaitMs} ms in the mailbox of ${box.id}`,
    retryAfterSeconds: 1,
  })
  for (const { reject } of late) reject(refusal)
}

async function step<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  box: Box<State, Command>,
  submitted: Submitted<Command>,
  clock: () => Date,
): Promise<State> {
  for (let lost = 0; lost < maxLostRaces; lost++) {
    const kept = box.state
    const [before, command] = await Promise.all([
      kept ?? actor.load(box.id),
      isFunction(submitted) ? submitted() : submitted,
    ])
    const now = clock()
    const events = decideOn(actor, before, command, now, kept !== undefined)
    // State in memory may be outdated: a refusal or "nothing to do" counts only on a fresh read.
    if (events === 'read again' || (events.length === 0 && kept !== undefined)) {
      box.state = undefined
      continue
    }
    if (before === undefined) throw noSuch('resource')
    if (events.length === 0) return remember(actor, box, before)
    const after = actor.evolve(before, events, now)
    if (after === undefined) throw new Error('an entity cannot cease to exist')
    if (await actor.commit({ before, after, events })) return remember(actor, box, after)
    box.state = undefined
  }
  throw new DomainError('overloaded', 'The resource is changing too fast; try again', {
    operatorText: `${box.id} lost ${maxLostRaces} races`,
    retryAfterSeconds: 1,
  })
}

function decideOn<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  before: State | undefined,
  command: Command,
  now: Date,
  isKept: boolean,
): readonly Event[] | 'read again' {
  try {
    return actor.decide(before, command, now)
  } catch (error) {
    if (isKept && error instanceof DomainError) return 'read again'
    throw error
  }
}

function remember<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  box: Box<State, Command>,
  state: State,
): State {
  box.state = actor.mayKeep?.(state) === false ? undefined : state
  return state
}

function isFunction<Command>(submitted: Submitted<Command>): submitted is () => Promise<Command> {
  return typeof submitted === 'function'
}

function full(id: string): DomainError {
  return new DomainError('overloaded', 'Too many requests for one resource; try again', {
    operatorText: `mailbox of ${id} is full`,
    retryAfterSeconds: 1,
  })
}
