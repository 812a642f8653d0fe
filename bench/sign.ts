/**
 * What does a signature cost? `bun bench/sign.ts [rounds]` compares, at 64 and 256 keep-alive
 * connections, signing through the service, complete and with fsync, with the bare minimum: a plain
 * Bun server without framework, keys or checks. That server computes and compares the HMAC of a
 * text of the same length, and commits one row of about as many bytes as a signature writes. It
 * makes one commit per request, on a pool of the service's size. The variants take turns of two
 * seconds; ratios are medians over the rounds.
 *
 * No request is sent twice, because a repeated signature is answered without a commit. All mandates
 * are therefore made in advance, a slice for each turn.
 */

import { hashOf } from '../src/domain/hash.ts'
import { canonicalText } from '../src/domain/mandates/canonical.ts'
import type { NewAccount } from '../src/operator/accounts.ts'
import { connect } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { signatureOf } from '../test/support/mandate.ts'
import { startService } from '../test/support/service.ts'
import { wireRequest } from './load.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = 2
const mandatesATurn = 12_000
const connectionCounts = [64, 256]

type Made = { readonly id: string; readonly signature: string; readonly key: string }

const postgres = await startPostgres()
try {
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const bare = await rival('sign', postgres.url)
  const accounts = await openAccounts(postgres.url, 16)
  const mandates = await propose(accounts, mandatesATurn * connectionCounts.length * (rounds + 1))
  const variants = {
    'HMAC and commit alone': {
      port: bare.port,
      requests: [signing({ id: 'mnd', signature: 'ab'.repeat(32), key: 'none' }, 'proposer')],
    },
    'POST /v1/mandates/:id/sign': {
      port: Number(new URL(service.url).port),
      /**
       * Read once per turn. All proposers sign first, so each has signed before its counterparty
       * does.
       */
      get requests() {
        const slice = mandates.splice(0, mandatesATurn)
        const by = (signer: string) => slice.map((made) => signing(made, signer))
        return [...by('proposer'), ...by('counterparty')]
      },
    },
  }
  for (const connections of connectionCounts) {
    const turns = await takeParts(variants, { connections, rounds, seconds })
    show(connections, turns)
    const signs = turns['POST /v1/mandates/:id/sign']
    if (signs.some(({ perSecond }) => perSecond * seconds > 2 * mandatesATurn))
      throw new Error('requests were sent twice: make more mandates a turn')
    const share = ratio(signs, turns['HMAC and commit alone'])
    report({
      [`signing, ${connections} connections: over HMAC and commit alone`]: share.toFixed(2),
    })
  }
  await service.stop()
  bare.stop()
} finally {
  await postgres.stop()
}

function signing({ id, signature, key }: Made, signer: string): Uint8Array {
  return wireRequest(
    'POST',
    `/v1/mandates/${id}/sign`,
    { 'content-type': 'application/json', 'x-api-key': key },
    JSON.stringify({ signer, signature }),
  )
}

/** Inserts proposed mandates of the accounts, in turn, as the service would have stored them. */
async function propose(accounts: readonly NewAccount[], count: number): Promise<Made[]> {
  const sql = connect(postgres.url, { max: 1, name: 'bench' })
  const made: Made[] = []
  while (made.length < count) {
    const proposed = Array.from({ length: mandatesATurn }, (_, n) =>
      proposal(accounts[n % accounts.length] as NewAccount),
    )
    await sql`
      insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, expires_at, canonical, hash, created_at, updated_at)
      select id, account_id, 1, 'proposed', proposer, counterparty, scope, terms, expires_at, canonical, hash, now(), now()
      from json_to_recordset(${JSON.stringify(proposed.map(({ row }) => row))}::text::json) as input (
        id text, account_id uuid, proposer text, counterparty text, scope text, terms text, expires_at timestamptz, canonical text, hash text)`
    made.push(...proposed.map(({ made }) => made))
  }
  await sql`analyze mandates`
  await sql.end()
  return made
}

function proposal({ account, signingSecret, v1Key }: NewAccount) {
  const id = `mnd_${Bun.randomUUIDv7()}`
  const terms = '{"amount":"250.00","currency":"USDC","task":"translation"}'
  const parties = { proposer: 'agent_alpha', counterparty: 'agent_beta', scope: 'work' }
  const agreement = { id, ...parties, terms, expiresAt: '2099-12-31T00:00:00.000Z' }
  const canonical = canonicalText(agreement)
  const { expiresAt, ...rest } = agreement
  const row = {
    ...rest,
    account_id: account.id,
    expires_at: expiresAt,
    canonical,
    hash: hashOf(canonical),
  }
  return { row, made: { id, signature: signatureOf(canonical, signingSecret), key: v1Key } }
}
