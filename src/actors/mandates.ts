import { setTimeout as pause } from 'node:timers/promises'
import { DomainError } from '../domain/error.ts'
import { isUuidOf } from '../domain/id.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import type { Agreement } from '../domain/mandates/canonical.ts'
import * as Mandate from '../domain/mandates/mandate.ts'
import * as View from '../domain/mandates/view.ts'
import { ofAgreement } from '../domain/receipts/receipt.ts'
import * as Rows from '../storage/mandates/mandates.ts'
import * as Views from '../storage/mandates/views.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { ListReader } from '../storage/postgres/pools.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { tracedCommit } from './commit-traces.ts'
import { createGroupCommit } from './group-commit.ts'
import { expireLater, type Jobs } from './jobs.ts'
import type { Live } from './live.ts'
import type { Once } from './once.ts'
import { newReceiptId, newSeed } from './receipts.ts'
import { createActors, type Submitted } from './runtime.ts'
import type { SigningSecrets } from './secrets.ts'

export type Mandates = ReturnType<typeof createMandates>

/** A mandate as proposed; `terms` and `context` are JSON texts. */
export type Proposal = Omit<Agreement, 'id'> & { readonly context: string | null }

/** The caller: an account, through one of its keys. */
export type KeyHolder = { readonly accountId: string; readonly keyId: string }

type Signing = { readonly signer: Mandate.Signer; readonly signature: string }
type Triggered = { readonly triggeredBy: string }

type Parts = {
  readonly sql: Sql
  readonly lanes: readonly Sql[]
  readonly list: ListReader
  readonly once: Once
  readonly signingSecrets: SigningSecrets
  readonly jobs: Jobs
  readonly live: Pick<Live, 'touched'>
  readonly tracing: Tracing | null
  readonly now: () => Date
  readonly newId: () => string
}

/** A mandate in memory; `aheadMs`: how far our clock was ahead of PostgreSQL's at the read. */
type Kept = { readonly mandate: Mandate.Mandate; readonly aheadMs: number }

// Terms and context can be large: few mandates are kept in memory, not for long, and no large ones.
const limits = { maxMailbox: 256, maxResident: 1_000, idleMs: 10_000 }
const mostKeptCharacters = 16_384
// An actor's id is the account's id followed by the mandate's.
const uuidLength = 36
const maxPauseMs = 1_000
/** A mandate counts as one for each of these characters of its terms and context. */
const charactersOfSmall = 16_384

/** The mandate actors, one per mandate of an account. Commands reject with `mandate_not_found`. */
export function createMandates(parts: Parts) {
  const { once, jobs, now, newId } = parts
  const commits = commitsOf(parts)
  const actors = mailboxes(parts, commits)

  /** Errors: `invalid_field` if it has already expired. */
  function propose(holder: KeyHolder, proposal: Proposal, idempotency: Idempotency | null) {
    return once.unlessUsed(holder.accountId, idempotency, () =>
      insert(holder, proposal, idempotency),
    )
  }

  async function insert(
    { accountId, keyId }: KeyHolder,
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
      idempotency: idempotency && { ...idempotency, made: View.proposedJson(mandate) },
    })
    if (!isKept) throw Mandate.overAlready()
    wakeQueues()
    const { id, expiresAt } = mandate
    expireLater(jobs, now(), id, expiresAt, { accountId, mandateId: id })
    return { kind: 'proposed' as const, mandate }
  }

  async function execute(accountId: string, id: string, command: Submitted<Mandate.Command>) {
    if (!isUuidOf('mnd_', id)) throw unknown()
    const { mandate } = await actors.execute(accountId + id, command)
    wakeQueues()
    return mandate
  }

  function wakeQueues(): void {
    jobs.wake('outbox')
    jobs.wake('anchor')
  }

  /** Signs a mandate for one party. Errors: `invalid_transition`, `invalid_signature`. */
  function sign({ accountId, keyId }: KeyHolder, id: string, signing: Signing) {
    return execute(accountId, id, async () => {
      const secrets = await parts.signingSecrets(accountId)
      return { kind: 'sign', ...signing, secrets, receiptId: newReceiptId(), keyId }
    })
  }

  /** Completes a mandate. Errors: `invalid_transition`. */
  function complete({ accountId, keyId }: KeyHolder, id: string, by: Triggered) {
    return execute(accountId, id, { kind: 'complete', ...by, keyId })
  }

  /** Disputes a mandate. Errors: `invalid_transition`. */
  function dispute(
    { accountId, keyId }: KeyHolder,
    id: string,
    by: Triggered & { readonly reason: string },
  ) {
    return execute(accountId, id, { kind: 'dispute', ...by, keyId })
  }

  async function expire(accountId: string, id: string): Promise<void> {
    await execute(accountId, id, { kind: 'expire' })
  }

  async function drain(): Promise<void> {
    await actors.drain()
    await commits.drain()
  }

  return { propose, sign, complete, dispute, expire, drain, ...readsOf(parts, expire) }
}

function readsOf(parts: Parts, expire: (accountId: string, id: string) => Promise<void>) {
  /** The mandate as it is now, of the account or, if that is null, of any account. */
  async function show(accountId: string | null, id: string): Promise<View.Shown> {
    const shown = await read(accountId, id)
    if (!Mandate.isOver(shown.mandate, shown.at)) return shown
    await expire(shown.mandate.accountId, id)
    return read(accountId, id)
  }

  async function read(accountId: string | null, id: string) {
    const shown = isUuidOf('mnd_', id) ? await Views.show(parts.sql, id) : null
    if (!shown || (accountId !== null && shown.mandate.accountId !== accountId)) throw unknown()
    return shown
  }

  /** The mandate once all its transitions are anchored, or as it is when `signal` aborts. */
  async function showAnchored(accountId: string, id: string, signal: AbortSignal) {
    let shown = await show(accountId, id)
    for (let waitMs = 50; !View.isAnchored(shown) && !signal.aborted; waitMs *= 2) {
      // Rejects once the signal aborts: then this read is the last.
      await pause(Math.min(waitMs, maxPauseMs), undefined, { signal }).catch(() => undefined)
      shown = await show(accountId, id)
    }
    return shown
  }

  function list(accountId: string, query: View.ListQuery): Promise<View.Listed> {
    return parts.list(accountId, (listSql) => Views.list(listSql, accountId, query))
  }

  return { show, showAnchored, list }
}

function commitsOf({ lanes, live, tracing }: Parts) {
  const sqlOf = (lane: number) => lanes[lane] as Sql
  return createGroupCommit<Rows.Change, boolean>({
    lanes: lanes.length,
    // One mandate may have 64 KiB of terms.
    maxBatch: 64,
    maxWaiting: 1_024,
    sizeOf: ({ after: { terms, context } }) =>
      Math.ceil((terms.length + (context ?? '').length) / charactersOfSmall),
    ...tracedCommit(tracing, {
      name: 'mandate',
      sqlOf,
      subjectOf: ({ after }) => after.id.slice(-uuidLength),
      async flush(lane, changes) {
        const outcomes = await Rows.commitAll(sqlOf(lane), changes)
        for (const { after } of changes) live.touched(after.accountId, 'mandates')
        return outcomes
      },
    }),
  })
}

function mailboxes({ sql, now }: Parts, commits: ReturnType<typeof commitsOf>) {
  // Reads requested while one is in progress are combined into the next.
  const reads = createGroupCommit({
    lanes: 1,
    maxBatch: 128,
    maxWaiting: 10_000,
    flush: (_, ids: readonly string[]) => Rows.loadMany(sql, ids),
  })
  return createActors<Kept, Mandate.Command, Mandate.Event>(
    {
      async load(id) {
        const mandateId = id.slice(uuidLength)
        const read = await reads.submit(mandateId, mandateId)
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
}

/** PostgreSQL's time at this process's time `at`: machines must agree on what has expired. */
function storedTime(kept: Kept | undefined, at: Date): Date {
  return new Date(at.getTime() - (kept?.aheadMs ?? 0))
}

function changeOf(
  before: Mandate.Mandate | undefined,
  events: readonly Mandate.Event[],
  at: Date,
): Rows.Change {
  let mandate = before
  const steps = events.map((event): Rows.Step => {
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
    ? ofAgreement(after.hash, {
        receiptId: after.receiptId,
        issuedAt: after.updatedAt,
        seed: newSeed(),
      })
    : null
  return { expected: before?.version ?? 0, after, steps, receipt, idempotency: null }
}

function unknown(): DomainError {
  return new DomainError('mandate_not_found', 'No such mandate')
}
