import { DomainError, noSuch } from '../domain/error.ts'
import { createConcurrencyLimit } from '../scheduling/limiter.ts'
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

/** A command, or a function that reads what the command needs. */
export type Submitted<Command> = Command | (() => Promise<Command>)

type Options = {
  readonly now: () => Date
  readonly maxMailbox: number
  readonly maxResident: number
  readonly idleMs: number
  readonly maxWaitMs?: number
}

type Resident<State> = { readonly id: string; state: State | undefined; usedAtMs: number }

const maxLostRaces = 20

/** Runs the commands of one kind of entity, one at a time for each id. */
export function createActors<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  { now, maxMailbox, maxResident, idleMs, maxWaitMs = deadlineMs }: Options,
) {
  /** Least recently used first. */
  const residents = new Map<string, Resident<State>>()
  const mailboxes = createConcurrencyLimit({
    perKey: 1,
    maxWaitingPerKey: maxMailbox,
    maxWaitMs,
    refusal: (why, id) => (why === 'full' ? full(id) : late(id, maxWaitMs)),
  })

  /**
   * Runs one command on one entity after those submitted before it: load, decide, commit. A
   * command that is a function is called while the entity is loaded, on each try. Resolves with the
   * entity afterwards. Rejects with what `decide` throws; `overloaded` if the mailbox is full or 20
   * commits in a row lost the race; `unavailable` after 6 s in the mailbox, and then never runs.
   */
  function execute(id: string, command: Submitted<Command>): Promise<State> {
    return mailboxes.run(id, async () => {
      const resident = residentOf(id)
      try {
        return await step(actor, resident, command, now)
      } catch (error) {
        resident.state = undefined
        throw error
      } finally {
        evict()
      }
    })
  }

  function residentOf(id: string): Resident<State> {
    const resident = residents.get(id) ?? { id, state: undefined, usedAtMs: 0 }
    residents.delete(id)
    residents.set(id, resident)
    resident.usedAtMs = now().getTime()
    return resident
  }

  function evict(): void {
    const oldestMs = now().getTime() - idleMs
    for (const [id, { usedAtMs }] of residents) {
      if (residents.size <= maxResident && usedAtMs >= oldestMs) return
      residents.delete(id)
    }
  }

  /** Drops entities that somebody else changed from memory. */
  function forget(ids: Iterable<string>): void {
    for (const id of ids) {
      const resident = residents.get(id)
      if (resident) resident.state = undefined
    }
  }

  return { execute, forget, drain: mailboxes.drain }
}

async function step<State, Command, Event>(
  actor: Actor<State, Command, Event>,
  resident: Resident<State>,
  submitted: Submitted<Command>,
  clock: () => Date,
): Promise<State> {
  for (let lost = 0; lost < maxLostRaces; lost++) {
    const kept = resident.state
    const [before, command] = await Promise.all([
      kept ?? actor.load(resident.id),
      isFunction(submitted) ? submitted() : submitted,
    ])
    const now = clock()
    const events = decideOn(actor, before, command, now, kept !== undefined)
    // State in memory may be outdated: a refusal or "nothing to do" counts only on a fresh read.
    if (events === 'read again' || (events.length === 0 && kept !== undefined)) {
      resident.state = undefined
      continue
    }
    if (before === undefined) throw noSuch('resource')
    if (events.length === 0) return remember(actor, resident, before)
    const after = actor.evolve(before, events, now)
    if (after === undefined) throw new Error('an entity cannot cease to exist')
    if (await actor.commit({ before, after, events })) return remember(actor, resident, after)
    resident.state = undefined
  }
  throw new DomainError('overloaded', 'The resource is changing too fast; try again', {
    operatorText: `${resident.id} lost ${maxLostRaces} races`,
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
  resident: Resident<State>,
  state: State,
): State {
  resident.state = actor.mayKeep?.(state) === false ? undefined : state
  return state
}

function isFunction<Command>(submitted: Submitted<Command>): submitted is () => Promise<Command> {
  return typeof submitted === 'function'
}

function late(id: string, maxWaitMs: number): DomainError {
  return new DomainError('unavailable', 'The resource is busy; try again shortly', {
    operatorText: `a command waited ${maxWaitMs} ms in the mailbox of ${id}`,
    retryAfterSeconds: 1,
  })
}

function full(id: string): DomainError {
  return new DomainError('overloaded', 'Too many requests for one resource; try again', {
    operatorText: `mailbox of ${id} is full`,
    retryAfterSeconds: 1,
  })
}
