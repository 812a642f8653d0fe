import { serviceAccountId } from '../../domain/accounts/account.ts'
import { toHex } from '../../domain/hash.ts'
import type { Network } from '../../domain/network.ts'
import type { Owed, SettledBy } from '../../domain/x402/settlement.ts'
import type { PaymentTrace } from '../../domain/x402/traces.ts'
import { type InBytes, inText, toBytes } from '../postgres/chain-bytes.ts'
import {
  ago,
  array,
  clock,
  type Fragment,
  isRefusal,
  type Sql,
  selfRefusal,
  statement,
} from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { placeKey, saleId, type Use, use } from '../settlement/uses.ts'

/**
 * `claimed`: being settled; `pending`: possibly settled; `settled`: the money has arrived.
 * `usdcBase`: the least to be paid.
 */
export type ClaimedPayment = Owed & {
  readonly key: string
  readonly network: Network
  readonly payer: string
  /** The same for a payment however it is written. */
  readonly paymentHash: string
  readonly requestHash: string
  /** The payer's own name for the purchase, if it has one. */
  readonly identifier: string | null
  readonly state: 'claimed' | 'pending' | 'settled'
  readonly txHash: string | null
  /** Of the transfer that settled it. */
  readonly position: number | null
  /** A signed payment that is not on chain by then never will be. */
  readonly validBefore: Date | null
  readonly status: number | null
  readonly body: string | null
  readonly createdAt: Date
  readonly ageMs: number
}

/** `txHash` of a signed payment is null. */
export type PaymentName = Pick<
  ClaimedPayment,
  'key' | 'network' | 'payer' | 'txHash' | 'identifier'
>

export type NewClaim = PaymentName &
  Owed &
  Pick<ClaimedPayment, 'paymentHash' | 'requestHash' | 'validBefore'>

/**
 * One try to settle a payment. Once another try has claimed it again, the former changes nothing.
 */
export type PaymentClaim = Pick<ClaimedPayment, 'key' | 'createdAt'>

/**
 * The payment that the payer gave this identifier, else the one with this key, or with what the
 * payer sent by this transaction.
 */
export async function findPayment(
  sql: Sql,
  { key, network, payer, txHash, identifier }: PaymentName,
): Promise<ClaimedPayment | null> {
  const [row] = await statement<Row[]>(sql)`select ${columns(sql)} from x402_payments
    where key = ${key} or (network = ${network} and tx_hash = ${toBytes(txHash)} and payer = ${toBytes(payer)})
      or (payer = ${toBytes(payer)} and identifier = ${identifier})
    order by identifier is not distinct from ${identifier}::text desc limit 1`
  return row ? decode(row) : null
}

/** A sale whose transfer has been mined again, at another place. */
export type MovedSale = { readonly key: string; readonly from: SettledBy; readonly to: SettledBy }

/**
 * The transfers (by `placeKey`) that carry a claimed payment: by its key or, where that is unknown,
 * because the sender or a signer has an unsettled one. And the sales that these transfers have paid
 * at places which are not among those `read`.
 */
export async function claimedBy(
  sql: Sql,
  network: Network,
  traces: readonly PaymentTrace[],
  read: ReadonlySet<string>,
): Promise<{ readonly places: ReadonlySet<string>; readonly moved: readonly MovedSale[] }> {
  if (traces.length === 0) return { places: new Set(), moved: [] }
  const byKey = new Map(traces.toReversed().map((trace) => [trace.key, trace]))
  const any = traces.flatMap((trace) => trace.payers.map((payer) => ({ trace, payer })))
  const [keyed, open] = await Promise.all([
    statement<InBytes<Pick<ClaimedPayment, 'key' | 'txHash' | 'position'>, 'txHash'>[]>(sql)`
      select key, tx_hash as "txHash", position from x402_payments
      where key = any(${array([...byKey.keys()])}::text[])`,
    statement<{ at: number }[]>(sql)`
      select at from ${rowsOf(
        sql,
        any,
        { at: ['integer', (_, at) => at], payer: ['bytea', ({ payer }) => toBytes(payer)] },
        'traces',
      )}
      where exists (select from x402_payments where network = ${network} and payer = traces.payer and state <> 'settled')`,
  ])
  const places = new Set(open.flatMap(({ at }) => any[at]?.trace ?? []).map(placeKey))
  const moved: MovedSale[] = []
  for (const row of keyed) {
    const { key, txHash, position } = inText(network, row, 'txHash')
    const { txHash: sentBy, position: at } = byKey.get(key) as PaymentTrace
    const to = { txHash: sentBy, position: at }
    const isSettled = txHash !== null && position !== null
    if (isSettled && read.has(placeKey({ txHash, position }))) continue
    places.add(placeKey(to))
    if (isSettled) moved.push({ key, from: { txHash, position }, to })
  }
  return { places, moved }
}

/** Records where the transfers of moved sales are now. */
export function moveSales(sql: Sql, moved: readonly MovedSale[]): Fragment {
  return sql`
    update x402_payments set tx_hash = input.tx_hash, position = input.position
    from ${rowsOf(sql, moved, {
      key: ['text', ({ key }) => key],
      tx_hash: ['bytea', ({ to }) => toBytes(to.txHash)],
      position: ['integer', ({ to }) => to.position],
    })} where x402_payments.key = input.key and state = 'settled'`
}

/** What a transfer pays that has bought something. */
export function saleBy(key: string, { txHash, position }: SettledBy): Use {
  return { txHash, position, kind: 'sale', accountId: serviceAccountId, subjectId: saleId(key) }
}

/** Claims a payment. Null when it is claimed already. */
export async function claimPayment(sql: Sql, claim: NewClaim): Promise<Date | null> {
  const [claimed] = await statement<Claimed[]>(sql)`
    ${insertClaim(sql, claim, null)} on conflict do nothing returning created_at as "createdAt"`
  return claimed?.createdAt ?? null
}

/**
 * Claims a payment that a transfer has made already, and settles it at once. Null when it is
 * claimed already, or the transfer has another use.
 */
export function claimSettled(sql: Sql, claim: NewClaim, by: SettledBy): Promise<Date | null> {
  return unlessUsed(statement<Claimed[]>(sql)`
    with used as (${sell(sql, claim, by)}),
    made as (${insertClaim(sql, claim, by)} on conflict do nothing returning created_at)
    select (select created_at from made) as "createdAt",
      1 / ((select count(*) from made) = 1 and (select count(*) from used) = 1)::integer`)
}

/**
 * Records the transaction about to settle a payment. False when the claim is no longer open.
 */
export async function noteTransaction(
  sql: Sql,
  claim: PaymentClaim,
  txHash: string,
): Promise<boolean> {
  const noted = await statement(sql)`
    update x402_payments set tx_hash = ${toBytes(txHash)} where ${isOpen(sql, claim)}`
  return noted.count === 1
}

export async function forgetTransaction(sql: Sql, claim: PaymentClaim): Promise<void> {
  await statement(sql)`update x402_payments set tx_hash = null where ${isOpen(sql, claim)}`
}

/** Takes over an open claim without a transaction. Null when another process was faster. */
export async function claimAgain(sql: Sql, claim: PaymentClaim): Promise<Date | null> {
  const [claimed] = await statement<Pick<ClaimedPayment, 'createdAt'>[]>(sql)`
    update x402_payments set state = 'claimed', created_at = ${clock(sql)}
    where ${isOpen(sql, claim)} and tx_hash is null
    returning created_at as "createdAt"`
  return claimed?.createdAt ?? null
}

export async function markPending(sql: Sql, claim: PaymentClaim): Promise<void> {
  await statement(sql)`update x402_payments set state = 'pending' where ${isOpen(sql, claim)}`
}

/**
 * Records that the money has arrived, and returns when the payment was claimed. Null when the
 * transfer has another use: it buys nothing.
 */
export function markSettled(
  sql: Sql,
  payment: Pick<ClaimedPayment, 'key' | 'network'>,
  by: SettledBy,
): Promise<Date | null> {
  return unlessUsed(statement<Claimed[]>(sql)`
    with used as (${sell(sql, payment, by)}),
    settled as (
      update x402_payments set state = 'settled', tx_hash = ${toBytes(by.txHash)}, position = ${by.position}
      where key = ${payment.key} returning created_at
    )
    select (select created_at from settled) as "createdAt",
      1 / ((select count(*) from settled) = 1 and (select count(*) from used) = 1)::integer`)
}

/** Releases a payment that paid nothing. False when the claim is no longer open. */
export async function releasePayment(sql: Sql, claim: PaymentClaim): Promise<boolean> {
  const released = await statement(sql)`delete from x402_payments where ${isOpen(sql, claim)}`
  return released.count === 1
}

/** The first response stays. */
export async function keepAnswer(
  sql: Sql,
  key: string,
  { status, body }: { readonly status: number; readonly body: string },
): Promise<void> {
  await statement(sql)`update x402_payments set status = ${status}, body = ${body}
    where key = ${key} and body is null`
}

/** Claimed after `after` (null: however old), at least `leastAgeMs` ago. */
export type Between = {
  readonly after: Pick<ClaimedPayment, 'key' | 'createdAt'> | null
  readonly leastAgeMs: number
}

export async function openPayments(
  sql: Sql,
  { after, leastAgeMs }: Between,
  limit: number,
): Promise<readonly ClaimedPayment[]> {
  const { key, createdAt } = after ?? { key: '', createdAt: new Date(0) }
  const rows = await statement<Row[]>(sql)`select ${columns(sql)} from x402_payments
    where state <> 'settled' and (created_at, key) > (${createdAt}, ${key})
      and created_at < ${ago(sql, leastAgeMs)}
    order by created_at, key limit ${limit}`
  return rows.map(decode)
}

type Claimed = Pick<ClaimedPayment, 'createdAt'>

function insertClaim(sql: Sql, claim: NewClaim, by: SettledBy | null) {
  const { key, network, identifier, validBefore, usdcBase } = claim
  return sql`
    insert into x402_payments
      (key, network, payer, payment_hash, request_hash, identifier, usdc_base, pay_to, asset, state, tx_hash, position, valid_before, created_at)
    select ${key}, ${network}, ${toBytes(claim.payer)}, ${toBytes(claim.paymentHash)}, ${toBytes(claim.requestHash)}, ${identifier}, ${usdcBase},
      ${toBytes(claim.payTo)}, ${toBytes(claim.asset)}, ${by === null ? 'claimed' : 'settled'}, ${toBytes(by?.txHash ?? null)}::bytea, ${by?.position ?? null}::integer,
      ${validBefore}, ${clock(sql)}`
}

function sell(sql: Sql, { key, network }: Pick<ClaimedPayment, 'key' | 'network'>, by: SettledBy) {
  return use(sql, network, [saleBy(key, by)])
}

async function unlessUsed(storing: PromiseLike<readonly Claimed[]>): Promise<Date | null> {
  try {
    return (await storing)[0]?.createdAt ?? null
  } catch (error) {
    if (isRefusal(error, selfRefusal)) return null
    throw error
  }
}

function isOpen(sql: Sql, { key, createdAt }: PaymentClaim) {
  return sql`key = ${key} and created_at = ${createdAt} and state <> 'settled'`
}

function columns(sql: Sql) {
  return sql`key, network, payer, payment_hash as "paymentHash", request_hash as "requestHash", identifier, usdc_base as "usdcBase", pay_to as "payTo", asset,
    state, tx_hash as "txHash", position, valid_before as "validBefore", status, body, created_at as "createdAt",
    (extract(epoch from now() - created_at) * 1000)::float8 as "ageMs"`
}

type Place = 'payer' | 'payTo' | 'asset' | 'txHash'
type Row = InBytes<ClaimedPayment, Place | 'paymentHash' | 'requestHash'>

function decode(row: Row): ClaimedPayment {
  const [paymentHash, requestHash] = [toHex(row.paymentHash), toHex(row.requestHash)]
  const texts = inText(row.network, row, 'payer', 'payTo', 'asset', 'txHash')
  return { ...texts, paymentHash, requestHash }
}
