import { setTimeout as pause } from 'node:timers/promises'
import { DomainError } from '../domain/error.ts'
import { isUuidOf } from '../domain/id.ts'
import type { Agreement } from '../domain/mandates/canonical.ts'
import * as Mandate from '../domain/mandates/mandate.ts'
import * as View from '../domain/mandates/view.ts'
import { ofAgreement } from '../domain/receipts/receipt.ts'
import type { Change, Read, Step } from '../storage/mandates/mandates.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Idempotency, Once, Replay } from './once.ts'
import { createActors, type Submitted } from './runtime.ts'

/** A mandate as proposed; `terms` and `context` are JSON texts. */
export type Proposal = Omit<Agreement, 'id'> & { readonly context: string | null }

/** The caller: an account, through one of its keys. */
export type Actor = { readonly accountId: string; readonly keyId: string }

type Signing = { readonly signer: Mandate.Signer; readonly signature: string }
type Triggered = { readonly triggeredBy: string }

export type Mandates = {
  /** Creates a mandate. Errors: `invalid_field` if it has already expired. */
  propose(
    actor: Actor,
    proposal: () => Proposal,
    idempotency: Idempotency | null,
  ): Promise<{ readonly kind: 'proposed'; readonly mandate: Mandate.Mandate } | Replay>
  /**
   * Signs a mandate for one party. Errors: `mandate_not_found`, `invalid_transition`,
   * `invalid_signature`.
   */
  sign(actor: Actor, id: string, signing: Signing): Promise<Mandate.Mandate>
  /** Completes a mandate. Errors: `mandate_not_found`, `invalid_transition`. */
  complete(actor: Actor, id: string, by: Triggered): Promise<Mandate.Mandate>
  /** Disputes a mandate. Errors: `mandate_not_found`, `invalid_transition`. */
  dispute(
    actor: Actor,
    id: string,
    by: Triggered & { readonly reason: string },
  ): Promise<Mandate.Mandate>
  /** Expires the mandate if its expiry has passed; else changes nothing. */
  expire(accountId: string, id: string): Promise<void>
  /**
   * The account's mandate as it is now; `accountId` null: the mandate of any account. Errors:
   * `mandate_not_found`.
   */
  show(accountId: string | null, id: string): Promise<View.Shown>
  /**
   * The account's mandate once no transition is waiting to be anchored, or as it is when `signal`
   * ends the wait. Errors: `mandate_not_found`.
   */
  showAnchored(accountId: string, id: string, signal: AbortSignal): Promise<View.Shown>
  list(accountId: string, query: View.ListQuery): Promise<View.Listed>
  drain(): Promise<void>
}

type Options = {
  readonly store: {
    /** The mandate, whichever account it belongs to. */
    load(id: string): Promise<Read | undefined>
    show(id: string): Promise<(View.Shown & Read) | null>
    list: Mandates['list']
  }
  readonly commits: GroupCommit<Change, boolean>
  readonly once: Once
  readonly now: () => Date
  readonly newId: () => string
  /** The secrets that currently sign for an account. */
  readonly signingSecrets: (accountId: string) => Promise<readonly string[]>
  /** Called after every commit: there may be something to deliver and to anchor. */
  readonly onCommit: () => void
  /** Called after the creation of a mandate. */
  readonly onProposed: (mandate: Mandate.Mandate) => void
}

/** A mandate in memory; `aheadMs`: how far our clock was ahead of PostgreSQL's when it was read. */
type Kept = { readonly mandate: Mandate.Mandate; readonly aheadMs: number }

// Terms and context can be large, so few mandates are kept in memory, not for long, and no large
// ones.
const limits = { maxMailbox: 256, maxResident: 1_000, idleMs: 10_000 }
const mostKeptCharacters = 16_384
// An actor's id is the account's id followed by the mandate's.
const uuidLength = 36
const longestLookMs = 1_000

/** The mandate actors, one per mandate of an account. */
export function createMandates(options: Options): Mandates {
  const { store, commits, once, now, newId, onCommit } = options
  const actors = createActors<Kept, Mandate.Command, Mandate.Event>(
    {
      async load(id) {
        const read = await store.load(id.slice(uuidLength))
        if (read?.mandate.accountId !== id.slice(0, uuidLength)) return undefined
        return { mandate: read.mandate, aheadMs: now().getTime() - read.at.getTime() }
      },
      decide: (kept, command, at) => Mandate.decide(kept?.mandate, command, storedTime(kept, at)),
      evolve(kept, events, at) {
        const mandate = Mandate.evolve(kept?.mandate, events, storedTime(kept, at))
        return kept && mandate && { ...kept, mandate }
      },
      commit: ({ before: { mandate }, after, events }) =>
        commits.submit(
          mandate.accountId,
          changeOf(mandate, events, new Date(after.mandate.updatedAt)),
        ),
      mayKeep: ({ mandate: { terms, context, canonical } }) =>
        terms.length + (context ?? '').length + canonical.length <= mostKeptCharacters,
    },
    { now, ...limits },
  )

  async function propose(
    { accountId, keyId }: Actor,
    { context, ...agreement }: Proposal,
    idempotency: Idempotency | null,
  ) {
    const proposed = { ...agreement, id: `mnd_${newId()}` }
    const at = now()
    const events = Mandate.decide(
      undefined,
      { kind: 'propose', accountId, agreement: proposed, context, keyId },
      at,
    )
    const change = changeOf(undefined, events, at)
    const mandate = change.after
    const isKept = await commits.submit(accountId, {
      ...change,
      idempotency: idempotency && {
        ...idempotency,
        body: idempotency.wrap(View.proposedJson(mandate)),
      },
    })
    if (!isKept) throw Mandate.overAlready()
    onCommit()
    options.onProposed(mandate)
    return { kind: 'proposed' as const, mandate }
  }

  async function execute(accountId: string, id: string, command: Submitted<Mandate.Command>) {
    if (!isUuidOf('mnd_', id)) throw unknown()
    const { mandate } = await actors.execute(accountId + id, command)
    onCommit()
    return mandate
  }

  async function look(accountId: string | null, id: string): Promise<View.Shown & Read> {
    const shown = isUuidOf('mnd_', id) ? await store.show(id) : null
    if (!shown || (accountId !== null && shown.mandate.accountId !== accountId)) throw unknown()
    return shown
  }

  async function show(accountId: string | null, id: string): Promise<View.Shown> {
    const shown = await look(accountId, id)
    if (!Mandate.isOver(shown.mandate, shown.at)) return shown
    await execute(shown.mandate.accountId, id, { kind: 'expire' })
    return look(accountId, id)
  }

  async function showAnchored(accountId: string, id: string, signal: AbortSignal) {
    let shown = await show(accountId, id)
    for (let waitMs = 50; !View.isAnchored(shown) && !signal.aborted; waitMs *= 2) {
      // Rejects once the signal aborts: then this look is the last.
      await pause(Math.min(waitMs, longestLookMs), undefined, { signal }).catch(() => undefined)
      shown = await show(accountId, id)
    }
    return shown
  }

  return {
    propose: (actor, proposal, idempotency) =>
      once.unlessAnswered(actor.accountId, idempotency, async () =>
        propose(actor, proposal(), idempotency),
      ),
    sign: ({ accountId, keyId }, id, signing) =>
      execute(accountId, id, async () => {
        const secrets = await options.signingSecrets(accountId)
        return { kind: 'sign', ...signing, secrets, receiptId: `drs_${newId()}`, keyId }
      }),
    complete: ({ accountId, keyId }, id, by) =>
      execute(accountId, id, { kind: 'complete', ...by, keyId }),
    dispute: ({ accountId, keyId }, id, by) =>
      execute(accountId, id, { kind: 'dispute', ...by, keyId }),
    expire: async (accountId, id) => void (await execute(accountId, id, { kind: 'expire' })),
    show,
    showAnchored,
    list: store.list,
    async drain() {
      await actors.drain()
      await commits.drain()
    },
  }
}

/**
 * PostgreSQL's time at this process's time `at`: machines whose clocks differ must agree on what
 * has expired.
 */
function storedTime(kept: Kept | undefined, at: Date): Date {
  return new Date(at.getTime() - (kept?.aheadMs ?? 0))
}

/** The commit for `events`, which happened at `at`. */
function changeOf(
  before: Mandate.Mandate | undefined,
  events: readonly Mandate.Event[],
  at: Date,
): Change {
  let mandate = before
  const steps = events.map((event): Step => {
    const from = mandate?.state ?? null
    mandate = Mandate.evolve(mandate, [event], at) as Mandate.Mandate
    const { triggeredBy, to } = event
    const type = View.eventType(to)
    return {
      sequence: mandate.version,
      from,
      to,
      triggeredBy,
      metadata: View.metadataOf(event),
      event: type && { type, data: View.rowJson(mandate) },
    }
  })
  const after = mandate as Mandate.Mandate
  const isAgreed = after.receiptId !== null && before?.receiptId === null
  const receipt = isAgreed
    ? ofAgreement(after.receiptId, { mandateHash: after.hash, issuedAt: after.updatedAt })
    : null
  return { expected: before?.version ?? 0, after, steps, receipt, idempotency: null }
}

function unknown(): DomainError {
  return new DomainError('mandate_not_found', 'No such mandate')
}
