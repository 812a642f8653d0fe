import { toHex } from '../../domain/hash.ts'
import type { Network } from '../../domain/network.ts'
import type { Delivery } from '../../domain/purchases/delivery.ts'
import type { Purchase, State } from '../../domain/purchases/purchase.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import {
  clock,
  type Fragment,
  isRefusal,
  type Sql,
  statement,
  uniqueViolation,
} from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/**
 * A purchase as a command leaves it; `before` null: a new one. `ifUnpaid`: only while its invoice
 * can be paid and nothing is credited to it.
 */
export type Change = {
  readonly before: Purchase | null
  readonly after: Purchase
  readonly ifUnpaid?: boolean
}

/**
 * Returns the purchase as written. Null if it has changed since it was read, another one has its
 * payment or transfer, or its invoice is not unpaid: read it again.
 */
export async function commit(sql: Sql, change: Change): Promise<Purchase | null> {
  try {
    const [written] = await commitAll(sql, [change])
    return written ?? null
  } catch (error) {
    if (isRefusal(error, uniqueViolation)) return null
    throw error
  }
}

/** Writes what a `deliver` has changed, and not when the purchase is due. False as for `commit`. */
export async function commitDelivery(sql: Sql, { after }: Change): Promise<boolean> {
  const { invoiceId, version, delivery, delivering } = after
  const rows = await statement(sql)`
    update purchases set version = ${version}, delivery = ${JSON.stringify(delivery)}, delivering = ${delivering}
    where invoice_id = ${invoiceId} and version = ${version - 1} returning 1`
  return rows.length > 0
}

/** Returns the purchases that were written. */
export async function commitAll(
  sql: Sql,
  changes: readonly Change[],
): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`${writeRows(sql, changes)}`
  return rows.map(decode)
}

/** Writes purchases that are still as loaded. Times that a change has set become PostgreSQL's. */
export function writeRows(sql: Sql, changes: readonly Change[]): Fragment {
  const input = rowsOf(sql, changes, {
    invoice_id: ['uuid', ({ after }) => after.invoiceId],
    account_id: ['uuid', ({ after }) => after.accountId],
    resource: ['bytea', ({ after }) => toBytes(after.resource)],
    chain: ['text', ({ after }) => after.requirements.network],
    pay_to: ['bytea', ({ after }) => toBytes(after.requirements.payTo)],
    usdc_base: ['bigint', ({ after }) => after.requirements.usdcBase],
    agent_id: ['text', ({ after }) => after.agentId],
    mandate_id: ['text', ({ after }) => after.mandateId],
    demand_sha256: ['bytea', ({ after }) => toBytes(after.demandSha256)],
    version: ['integer', ({ after }) => after.version],
    state: ['text', ({ after }) => after.state],
    payment_key: ['text', ({ after }) => after.payment?.key ?? null],
    payer: ['text', ({ after }) => after.payment?.payer ?? null],
    nonce: ['bytea', ({ after }) => toBytes(after.payment?.nonce ?? null)],
    message: ['text', ({ after }) => after.payment?.message ?? null],
    valid_before: ['timestamptz', ({ after }) => after.payment?.validBefore ?? null],
    payment_id: ['text', ({ after }) => after.payment?.identified?.id ?? null],
    payment_header: ['text', ({ after }) => after.payment?.identified?.header ?? null],
    tx_hash: ['bytea', ({ after }) => toBytes(after.txHash)],
    position: ['integer', ({ after }) => after.position],
    settled_in: ['bigint', ({ after }) => after.settledIn],
    reservation_id: ['uuid', ({ after }) => after.reservation?.id ?? null],
    reserved_minor: ['bigint', ({ after }) => after.reservation?.amountMinor ?? null],
    reserved_currency: ['text', ({ after }) => after.reservation?.currency ?? null],
    delivery: ['text', ({ after }) => after.delivery && JSON.stringify(after.delivery)],
    delivering: ['integer', ({ after }) => after.delivering],
    superseded_by: ['text', ({ after }) => after.supersededBy],
    is_void_pending: ['boolean', ({ after }) => after.isVoidPending],
    first_forwarded_at: ['timestamptz', kept(({ payment }) => payment?.firstForwardedAt)],
    forwarded_at: ['timestamptz', kept(({ payment }) => payment?.forwardedAt)],
    abandoned_at: ['timestamptz', kept(({ abandonedAt }) => abandonedAt)],
    created_at: ['timestamptz', kept(({ createdAt }) => createdAt)],
    is_forwarded: ['boolean', ({ after }) => after.payment !== null],
    is_abandoned: ['boolean', ({ after }) => after.abandonedAt !== null],
    if_unpaid: ['boolean', ({ ifUnpaid }) => ifUnpaid === true],
  })
  return sql`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, demand_sha256, version, state,
      payment_key, payer, nonce, message, valid_before, payment_id, payment_header, tx_hash, position, settled_in,
      reservation_id, reserved_minor, reserved_currency, delivery, delivering, superseded_by, is_void_pending,
      first_forwarded_at, forwarded_at, abandoned_at, created_at, updated_at)
    select invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, demand_sha256, version, state,
      payment_key, payer, nonce, message, valid_before, payment_id, payment_header, tx_hash, position, settled_in,
      reservation_id, reserved_minor, reserved_currency, delivery, delivering, superseded_by, is_void_pending,
      case when is_forwarded then coalesce(first_forwarded_at, ${clock(sql)}) end,
      case when is_forwarded then coalesce(forwarded_at, ${clock(sql)}) end,
      case when is_abandoned then coalesce(abandoned_at, ${clock(sql)}) end,
      coalesce(created_at, ${clock(sql)}), ${clock(sql)}
    from ${input}
    where not if_unpaid
      or exists (select from invoices where id = input.invoice_id and invoices.state in ('draft', 'sent'))
    on conflict (invoice_id) do update set
      agent_id = excluded.agent_id, version = excluded.version, state = excluded.state, payment_key = excluded.payment_key,
      payer = excluded.payer, nonce = excluded.nonce, message = excluded.message, valid_before = excluded.valid_before,
      payment_id = excluded.payment_id, payment_header = excluded.payment_header,
      tx_hash = excluded.tx_hash, position = excluded.position, settled_in = excluded.settled_in,
      reservation_id = excluded.reservation_id, reserved_minor = excluded.reserved_minor,
      reserved_currency = excluded.reserved_currency, delivery = excluded.delivery,
      delivering = excluded.delivering, superseded_by = excluded.superseded_by,
      is_void_pending = excluded.is_void_pending, first_forwarded_at = excluded.first_forwarded_at,
      forwarded_at = excluded.forwarded_at, abandoned_at = excluded.abandoned_at, updated_at = excluded.updated_at
    where purchases.version = excluded.version - 1
    returning *, ${clock(sql)} as read_at`
}

/** Null: the change has set the time, or there is none. */
function kept(read: (purchase: Purchase) => Date | null | undefined) {
  return ({ before, after }: Change) => {
    const time = read(after)
    return before && time && time.getTime() === read(before)?.getTime() ? time : null
  }
}

export async function load(sql: Sql, invoiceId: string): Promise<Purchase | null> {
  const [row] = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases where invoice_id = ${invoiceId}`
  return row ? decode(row) : null
}

export type Row = {
  invoice_id: string
  account_id: string
  resource: Buffer
  chain: Network
  pay_to: Buffer
  usdc_base: bigint
  agent_id: string | null
  mandate_id: string | null
  demand_sha256: Buffer | null
  version: number
  state: State
  payment_key: string | null
  payer: string | null
  nonce: Buffer | null
  message: string | null
  valid_before: Date | null
  payment_id: string | null
  payment_header: string | null
  tx_hash: Buffer | null
  position: number | null
  settled_in: bigint | null
  reservation_id: string | null
  reserved_minor: bigint | null
  reserved_currency: string | null
  /** JSON. */
  delivery: string | null
  delivering: number | null
  first_forwarded_at: Date | null
  forwarded_at: Date | null
  abandoned_at: Date | null
  superseded_by: string | null
  is_void_pending: boolean
  created_at: Date
  read_at: Date
}

export function decode(row: Row): Purchase {
  const { chain, tx_hash: txHash, demand_sha256: demandSha256 } = row
  return {
    invoiceId: row.invoice_id,
    accountId: row.account_id,
    resource: toHex(row.resource),
    requirements: { network: chain, payTo: toText(chain, row.pay_to), usdcBase: row.usdc_base },
    agentId: row.agent_id,
    mandateId: row.mandate_id,
    demandSha256: demandSha256 && toHex(demandSha256),
    version: row.version,
    state: row.state,
    payment: paymentIn(row),
    txHash: txHash && toText(chain, txHash),
    position: row.position,
    settledIn: row.settled_in === null ? null : Number(row.settled_in),
    reservation: reservationIn(row),
    delivery: row.delivery === null ? null : (JSON.parse(row.delivery) as Delivery),
    delivering: row.delivering,
    abandonedAt: row.abandoned_at,
    supersededBy: row.superseded_by,
    isVoidPending: row.is_void_pending,
    createdAt: row.created_at,
    readAt: row.read_at,
  }
}

function paymentIn(row: Row): Purchase['payment'] {
  const { payment_key: key, payer, message, valid_before: validBefore } = row
  const { first_forwarded_at: firstForwardedAt, forwarded_at: forwardedAt } = row
  if (key === null || firstForwardedAt === null || forwardedAt === null) return null
  const { payment_id: id, payment_header: header } = row
  const identified = id !== null && header !== null ? { id, header } : null
  const nonce = row.nonce && toHex(row.nonce)
  return { key, payer, nonce, message, validBefore, identified, firstForwardedAt, forwardedAt }
}

function reservationIn(row: Row): Purchase['reservation'] {
  const { reservation_id: id, reserved_minor: amountMinor, reserved_currency: currency } = row
  return id !== null && amountMinor !== null && currency !== null
    ? { id, amountMinor, currency }
    : null
}
