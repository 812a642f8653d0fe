import type { Network } from '../../domain/network.ts'
import { type InBytes, inText, toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, selfRefusal, statement, unlessRefused } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { arePaymentsWhole, type Payments, writePayments } from './settlements.ts'
import type { StoredTransfer } from './transfers.ts'
import { type Use, use } from './uses.ts'

type Said = {
  readonly chain: Network
  readonly txHash: string
  readonly payer: string
  readonly invoiceId: string
}

/** By the payer, with a signature, on all transfers of the payer in the transaction. */
export type PayerClaim = Said & { readonly madeBy: 'claim'; readonly signature: string }

/** By an operator, with an API key, on one transfer. */
export type OperatorClaim = Said & {
  readonly madeBy: 'operator'
  readonly keyId: string
  readonly position: number
  readonly usdcBase: bigint
}

export type StoredClaim = PayerClaim | OperatorClaim

export type Assignment = Payments & {
  readonly claim: StoredClaim
  /** Of the invoice. */
  readonly accountId: string
  readonly transfers: readonly StoredTransfer[]
  /** They are not confirmed before a second node shows them. */
  readonly awaitsNode: boolean
}

/** How many claims of payers an invoice keeps: on transactions not seen yet, and in all. */
export type MostClaims = { readonly waiting: number; readonly all: number }

/**
 * Keeps a claim on a transaction that is not on record. False when the invoice has too many claims.
 * Claims older than a day on what was never seen do not count, and are dropped for new ones.
 * Repeating a claim returns true.
 */
export async function keepClaim(sql: Sql, claim: PayerClaim, most: MostClaims): Promise<boolean> {
  const { chain, txHash, payer, invoiceId } = claim
  const ofPayers = sql`claims.invoice_id = ${invoiceId} and claims.made_by = 'claim'`
  const isThis = sql`(claims.chain, claims.tx_hash, claims.payer) = (${chain}, ${toBytes(txHash)}, ${toBytes(payer)})`
  const [row] = await statement<[{ isKept: boolean }]>(sql)`
    with others as (
      select chain, tx_hash, payer, created_at < now() - interval '1 day' as is_old,
        -- Null where there are no transfers.
        (select bool_or(state <> 'reverted') from transfers where (transfers.chain, transfers.tx_hash) = (claims.chain, claims.tx_hash)) as is_there
      from claims where ${ofPayers} and not (${isThis})
    ),
    room as (
      select
        count(*) filter (where is_there is not true) >= ${most.waiting} or count(*) >= ${most.all} as is_full,
        count(*) filter (where is_there is not true and not is_old) < ${most.waiting}
          and count(*) filter (where is_there is not null or not is_old) < ${most.all} as is_left
      from others
    ),
    dropped as (
      delete from claims using others
      where ${ofPayers} and (claims.chain, claims.tx_hash, claims.payer) = (others.chain, others.tx_hash, others.payer)
        and is_old and is_there is null and (select is_full from room)
    ),
    kept as (${insertClaim(sql, claim, sql`where (select is_left from room)`)})
    select is_left or exists (select from claims where ${ofPayers} and ${isThis}) as "isKept" from room`
  return row.isKept
}

/**
 * Commits claim, transfers and their effects on the invoice in one statement. False, with nothing
 * stored, when a transfer or the invoice changed since it was read, or a transfer has another use.
 */
export function commitAssignment(sql: Sql, assignment: Assignment): Promise<boolean> {
  const { claim, transfers, awaitsNode } = assignment
  const paying = transfers.map(({ txHash, position }): Use => {
    const { accountId } = assignment
    return { txHash, position, kind: 'invoice', accountId, subjectId: claim.invoiceId }
  })
  return unlessRefused(
    statement(sql)`
    with claimed as (${insertClaim(sql, claim, sql``)}),
    assigned as (
      update transfers set invoice_id = ${claim.invoiceId}, matched_by = ${claim.madeBy}, held_as = null,
        account_id = (select account_id from invoices where id = ${claim.invoiceId}), awaits_node = ${awaitsNode},
        state = case when ${awaitsNode} then 'seen' else transfers.state end
      from ${rowsOf(sql, transfers, {
        position: ['integer', ({ position }) => position],
        state: ['text', ({ state }) => state],
        block_hash: ['bytea', ({ blockHash }) => toBytes(blockHash)],
      })}
      where transfers.chain = ${claim.chain} and transfers.tx_hash = ${toBytes(claim.txHash)} and transfers.position = input.position
        and transfers.invoice_id is null and transfers.state = input.state and transfers.block_hash = input.block_hash
      returning 1
    ),
    used as (${use(sql, claim.chain, paying)}),
    ${writePayments(sql, assignment)}
    select 1 / (
      (select count(*) from assigned) = ${transfers.length} and ${arePaymentsWhole(sql, assignment)}
      and (select count(*) from used) = ${paying.length}
    )::integer`,
    selfRefusal,
  )
}

/**
 * Recent claims of payers on held transfers, oldest first: made after the watcher had looked for
 * claims and before it committed the transfers.
 */
export async function overlookedClaims(sql: Sql): Promise<readonly PayerClaim[]> {
  const rows = await statement<InBytes<PayerClaim, 'txHash' | 'payer'>[]>(sql)`
    select claims.chain, tx_hash as "txHash", claims.payer, invoice_id as "invoiceId", made_by as "madeBy", signature
    from claims join invoices on invoices.id = invoice_id
    where made_by = 'claim' and claims.created_at > now() - interval '10 minutes'
      and (invoices.state in ('draft', 'sent') or (invoices.state = 'failed' and progress::json ->> 'failure' = 'expired'))
      and exists (
        select from transfers
        where transfers.chain = claims.chain and transfers.tx_hash = claims.tx_hash and held_as is not null
          and transfers.state <> 'reverted' and from_address = claims.payer
          -- PostgreSQL does not write base58: there, applying the claim tells.
          and (claims.chain = 'solana' or '0x' || encode(to_address, 'hex') = invoices.pay_to)
      )
    order by claims.created_at limit 1000`
  return rows.map((row) => inText(row.chain, row, 'txHash', 'payer'))
}

function insertClaim(sql: Sql, claim: StoredClaim, where: Fragment) {
  const { chain, txHash, payer, invoiceId, madeBy } = claim
  const signature = claim.madeBy === 'claim' ? claim.signature : null
  const { keyId, position, usdcBase } = claim.madeBy === 'operator' ? claim : ofNoOperator
  return sql`insert into claims (chain, tx_hash, payer, invoice_id, made_by, signature, key_id, position, usdc_base, created_at)
    select ${chain}, ${toBytes(txHash)}, ${toBytes(payer)}, ${invoiceId}::uuid, ${madeBy}, ${signature}, ${keyId}::uuid, ${position}::integer,
      ${usdcBase}::bigint, now() ${where}
    on conflict do nothing`
}

const ofNoOperator = { keyId: null, position: null, usdcBase: null }
