import { randomBytes } from 'node:crypto'
import {
  type By,
  type KeyKind,
  keyHash,
  keyHint,
  type Limits,
  limitsOf,
  newKey,
  type Plan,
} from '../domain/accounts/account.ts'
import { presets, type Scope } from '../domain/accounts/scopes.ts'
import { type SealKey, seal } from '../domain/accounts/secret.ts'
import type { Network } from '../domain/network.ts'
import { rotateSigningSecret } from '../storage/accounts/accounts.ts'
import { createAccount, createKey, type NewKey } from '../storage/accounts/api-keys.ts'
import type { Sql } from '../storage/postgres/db.ts'

export type NewAccount = Awaited<ReturnType<typeof openAccount>>

/** Stores the account, its signing secret and two keys with all scopes in one statement. */
export async function openAccount(
  sql: Sql,
  sealKey: SealKey,
  wanted: {
    name: string
    plan: Plan
    limits?: Partial<Limits>
    wallets?: Partial<Record<Network, string>>
  },
) {
  const { name, plan, limits = {}, wallets = {} } = wanted
  const id = Bun.randomUUIDv7()
  const signingSecret = randomBytes(32).toString('hex')
  const signingSecretSealed = seal(signingSecret, sealKey, randomBytes(12))
  const common = { accountId: id, scopes: presets.full }
  const apiKey = drawKey({ ...common, kind: 'inv_', name: 'first api key' })
  const v1Key = drawKey({ ...common, kind: 'sk_', name: 'first v1 key' })
  await createAccount(
    sql,
    { id, name, plan, limits: limitsOf(plan, limits), wallets, signingSecretSealed },
    [apiKey.row, v1Key.row],
  )
  return { account: { id, name, plan }, apiKey: apiKey.key, v1Key: v1Key.key, signingSecret }
}

const overlapHours = 24

/** Returns the new secret only here; the previous one stays valid for 24 more hours. */
export async function renewSigningSecret(sql: Sql, sealKey: SealKey, accountId: string) {
  const signingSecret = randomBytes(32).toString('hex')
  const sealed = seal(signingSecret, sealKey, randomBytes(12))
  await rotateSigningSecret(sql, accountId, sealed, overlapHours)
  return { signingSecret }
}

/** `by` null: the operator. Returns the raw key only here. */
export async function issueKey(sql: Sql, wanted: WantedKey, by: By | null = null) {
  const { row, key } = drawKey(wanted)
  await createKey(sql, row, by)
  return { id: row.id, key }
}

type WantedKey = {
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date | null
}

function drawKey(wanted: WantedKey) {
  const { accountId, kind, name, scopes, expiresAt = null } = wanted
  const key = newKey(kind, randomBytes(32))
  const id = Bun.randomUUIDv7()
  const row: NewKey = {
    id,
    accountId,
    name,
    hash: keyHash(key),
    hint: keyHint(key),
    scopes,
    expiresAt,
  }
  return { row, key }
}
