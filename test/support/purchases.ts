import { hashOf } from '../../src/domain/hash.ts'
import type { Attempt } from '../../src/domain/purchases/attempt.ts'
import { type Command, decide } from '../../src/domain/purchases/decide.ts'
import { evolve } from '../../src/domain/purchases/evolve.ts'
import { type Purchase, quote, type State } from '../../src/domain/purchases/purchase.ts'
import type { PaymentRequirements } from '../../src/domain/x402/requirements.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { commit, load } from '../../src/storage/purchases/purchases.ts'
import { storedInvoice } from './stored-invoice.ts'

export const buyerId = Bun.randomUUIDv7()
const resource = hashOf('a report')
const payTo = `0x${'5e'.repeat(20)}`
export const requirements = { network: 'base', payTo, usdcBase: 5_000n } as const

const payer = `0x${'a'.repeat(40)}`
const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

export type KnownBy = 'nonce' | 'transaction' | 'nothing'

export type Some = {
  readonly count?: number
  readonly accountId?: string
  readonly chain?: string
  readonly state?: State
  readonly knownBy?: KnownBy
  readonly ageMs?: number
}

/** Forwarded a minute ago and not looked for since. */
export async function purchasesAsStored(sql: Sql, some: Some): Promise<string[]> {
  const { count = 1, accountId = buyerId, chain = 'base', state = 'unknown' } = some
  const { knownBy = 'nonce', ageMs = 60_000 } = some
  const forwardedAt = new Date(Date.now() - ageMs)
  const rows = await sql<{ id: string }[]>`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, state, payment_key, nonce, tx_hash,
      settled_in, first_forwarded_at, forwarded_at, created_at, updated_at)
    select gen_random_uuid(), ${accountId}, ${toBytes(resource)}, ${chain}, '\\x5e', 1, ${state}, gen_random_uuid()::text,
      ${knownBy === 'nonce' ? '\\x01' : null}, ${knownBy === 'transaction' ? '\\x02' : null},
      ${state === 'settled' ? 1 : null}, ${forwardedAt}, ${forwardedAt}, ${forwardedAt}, ${forwardedAt}
    from generate_series(1, ${count}) returning invoice_id as id`
  return rows.map(({ id }) => id)
}

export async function passTimeOfPurchases(sql: Sql, ms: number): Promise<void> {
  const passed = sql`${ms} * interval '1 millisecond'`
  await sql`
    update purchases set version = version + 1, forwarded_at = forwarded_at - ${passed}, created_at = created_at - ${passed},
      first_forwarded_at = first_forwarded_at - ${passed}, abandoned_at = abandoned_at - ${passed},
      updated_at = updated_at - ${passed}`
}

/** Its invoice is a draft or was sent. */
export async function quoted(
  sql: Sql,
  mandateId: string | null = null,
  due: PaymentRequirements = requirements,
  state: 'draft' | 'sent' = 'sent',
): Promise<string> {
  const { id: invoiceId } = await storedInvoice(sql, buyerId)
  await commit(sql, { before: null, after: newQuote(invoiceId, mandateId, due) })
  await sql`update invoices set state = ${state} where id = ${invoiceId}`
  return invoiceId
}

export function newQuote(
  invoiceId: string,
  mandateId: string | null = null,
  due: PaymentRequirements = requirements,
): Purchase {
  const wanted = { invoiceId, accountId: buyerId, resource, requirements: due, agentId: null }
  return quote({ ...wanted, mandateId, demandSha256: null }, new Date())
}

/** A payment by EIP-3009. */
export function signed(n: number): Attempt['payment'] {
  const nonce = word(n)
  const authorization = { payer, nonce }
  const [key, validBeforeMs] = [`eip3009:base:${payer}:${nonce}`, Date.UTC(2026, 4, 2)]
  const signer = { requirements, authorization, transfer: null, payer }
  return { ...signer, validBeforeMs, txHash: null, identified: null, key }
}

/** A transfer that was made before it is shown. */
export function made(n: number): Attempt['payment'] {
  const txHash = word(n)
  const unsaid = { requirements: null, authorization: null, transfer: null, validBeforeMs: null }
  return { ...unsaid, key: `transfer:${txHash}`, payer: '0xaa', txHash, identified: null }
}

export function attempt(
  payment: Attempt['payment'],
  invoiceId: string | null = null,
  mandateId: string | null = null,
): Attempt {
  return { accountId: buyerId, resource, payment, agentId: null, mandateId, invoiceId }
}

/** On the stored purchase, which it must change. */
export async function commanded(sql: Sql, invoiceId: string, command: Command): Promise<Purchase> {
  const before = await load(sql, invoiceId)
  const events = before ? decide(before, command, before.readAt) : []
  if (!before || events.length === 0) throw new Error(`${command.kind} changes nothing`)
  const changed = await commit(sql, { before, after: evolve(before, events, before.readAt) })
  if (!changed) throw new Error('the purchase has changed meanwhile')
  return changed
}
