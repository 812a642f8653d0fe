import { createGroupCommit } from '../actors/group-commit.ts'
import { expireLater } from '../actors/jobs.ts'
import type { Live } from '../actors/live.ts'
import { createMandates, type Mandates } from '../actors/mandates.ts'
import type { Once } from '../actors/once.ts'
import type { OpenSecret } from '../actors/secret-opener.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Queues } from '../queues/queues.ts'
import { findSigningSecrets } from '../storage/accounts/accounts.ts'
import * as MandateRows from '../storage/mandates/mandates.ts'
import { list, show } from '../storage/mandates/views.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { newId, now } from './clock.ts'
import { type Database, lanes } from './database.ts'
import { told } from './live-flush.ts'

type Parts = {
  readonly secrets: Secrets
  readonly openSecret: OpenSecret
  readonly database: Database
  readonly queues: Queues
  readonly once: Once
  readonly live: Pick<Live, 'touched'>
}

/** Of a mandate's terms and context. The largest is eight times as much as a small one. */
const charactersOfSmall = 16_384

/** The mandate actors, committing on the lanes of the database. */
export function mandateActors(parts: Parts): Mandates {
  const { secrets, openSecret, database, queues, once, live } = parts
  const { sql, lanes: laneSqls } = database
  const secretOf = (accountId: string, sealed: Uint8Array | null) =>
    sealed ? openSecret(sealed, accountId) : secrets.mandateSigningSecret
  // Look-ups requested while one is in progress are combined into the next.
  const lookUps = { lanes: 1, maxBatch: 128, maxWaiting: 10_000 }
  const loads = createGroupCommit({
    ...lookUps,
    flush: (_, ids: readonly string[]) => MandateRows.loadMany(sql, ids),
  })
  const sealedSecrets = createGroupCommit({
    ...lookUps,
    flush: (_, accountIds: readonly string[]) => findSigningSecrets(sql, accountIds),
  })
  return createMandates({
    store: {
      load: (id) => loads.submit(id, id),
      show: (id) => show(sql, id),
      list: (accountId, query) =>
        database.list(accountId, (listSql) => list(listSql, accountId, query)),
    },
    commits: createGroupCommit({
      lanes,
      // Fewer than for other entities: one mandate may have 64 KiB of terms.
      maxBatch: 64,
      maxWaiting: 1_024,
      sizeOf: ({ after: { terms, context } }) =>
        Math.ceil((terms.length + (context ?? '').length) / charactersOfSmall),
      flush: told(live, 'mandates', (n, changes) =>
        MandateRows.commitAll(laneSqls[n] as Sql, changes),
      ),
    }),
    once,
    now,
    newId,
    async signingSecrets(accountId) {
      const { current, previous } = await sealedSecrets.submit(accountId, accountId)
      const counting = [
        secretOf(accountId, current),
        previous && secretOf(accountId, previous.sealed),
      ]
      // A signer must not be told that the signature is wrong when our own secret is the problem.
      if (current && counting[0] === null) throw new Error('a signing secret cannot be opened')
      return counting.filter((secret) => secret !== null)
    },
    onCommit() {
      queues.wake('outbox')
      queues.wake('anchor')
    },
    onProposed: ({ accountId, id, expiresAt }) =>
      expireLater(queues, now(), id, expiresAt, { accountId, mandateId: id }),
  })
}
