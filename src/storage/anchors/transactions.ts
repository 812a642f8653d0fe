import { toHex } from '../../domain/hash.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import {
  array,
  type Sql,
  selfRefusal,
  statement,
  uniqueViolation,
  unlessRefused,
} from '../postgres/db.ts'
import { asOnlyOne, type FrozenHolders } from '../postgres/only-one.ts'
import { rowsOf } from '../postgres/rows.ts'
import { areAllPlaced, type Batch, placing } from './batches.ts'
import type { PendingAnchor } from './events.ts'

export type Sender = { readonly chainId: number; readonly address: string }

export type Signed = {
  readonly txHash: string
  readonly signedBytes: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A nonce with the transaction that is to use it, open until that is deep in the chain. */
export type OpenTransaction = Signed & {
  readonly id: string
  readonly nonce: number
  readonly contract: string
  /** `deep` only where a reorganisation has undone a transaction that was already deep. */
  readonly state: 'signed' | 'broadcast' | 'mined' | 'deep'
  /** All that were ever signed for the nonce, newest last. */
  readonly txHashes: readonly string[]
  readonly block: Block | null
  readonly anchors: readonly PendingAnchor[]
  readonly ageMs: number
}

type Block = { readonly number: number; readonly hash: string }
type NewTransaction = Signed & { id: string; sender: Sender; contract: string; nonce: number }
type Mined = {
  readonly id: string
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly block: Block
  readonly isDeep: boolean
}
type AnchoredLog = { readonly anchorId: string; readonly logIndex: number }

/** Runs `work` unless another process sends from this sender. Returns whether it ran. */
export function asOnlySender(
  sql: Sql,
  { chainId, address }: Sender,
  work: () => Promise<void>,
  frozen: Partial<FrozenHolders> = {},
): Promise<boolean> {
  return asOnlyOne(sql, `anchor ${chainId} ${address}`, work, frozen)
}

/** Senders of earlier keys with transactions on the chain that are not deep yet. */
export async function otherSenders(
  sql: Sql,
  { chainId, address }: Sender,
): Promise<readonly Sender[]> {
  const rows = await statement<{ sender: Buffer }[]>(sql)`
    select distinct sender from anchor_transactions
    where chain_id = ${chainId} and sender <> ${toBytes(address)} and state in ('signed', 'broadcast', 'mined') order by sender`
  return rows.map(({ sender }) => ({ chainId, address: toHex(sender) }))
}

/** The newest block with a transaction of the sender that is not deep yet. */
export async function newestBlock(sql: Sql, sender: Sender): Promise<Block | null> {
  const [row] = await statement<{ number: bigint; hash: Buffer }[]>(sql)`
    select block_number as number, block_hash as hash from anchor_transactions
    where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)} and state = 'mined' and block_number is not null
    order by block_number desc limit 1`
  return row ? { number: Number(row.number), hash: toHex(row.hash) } : null
}

/** Block number of the sender's newest mined transaction, or the newest below `beforeNonce`. */
export async function newestRecorded(
  sql: Sql,
  sender: Sender,
  beforeNonce: number | null,
): Promise<number | null> {
  const [row] = await statement<{ number: bigint }[]>(sql)`
    select block_number as number from anchor_transactions
    where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)} and block_number is not null
      and (${beforeNonce}::bigint is null or nonce < ${beforeNonce})
    order by nonce desc limit 1`
  return row ? Number(row.number) : null
}

export async function firstSignedAt(sql: Sql, sender: Sender): Promise<Date | null> {
  const [row] = await statement<{ at: Date | null }[]>(sql)`
    select min(created_at) as at from anchor_transactions
    where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)}`
  return row?.at ?? null
}

/** When the database was created; a backup keeps that time. */
export async function madeAt(sql: Sql): Promise<Date> {
  const [row] = await statement<{ at: Date }[]>(sql)`select min(applied_at) as at from migrations`
  return (row as { at: Date }).at
}

/** Limits how many transactions that the chain has lost are repaired at once. */
const mostLost = 100

/**
 * The sender's transactions that are not deep, by nonce, and the first deep ones with a nonce that
 * the chain has lost (`chainNonce` or later). A node that lags would otherwise bring back
 * everything ever sent.
 */
export async function open(
  sql: Sql,
  sender: Sender,
  chainNonce: number,
): Promise<readonly OpenTransaction[]> {
  const rows = await statement<OpenRow[]>(sql)`
    with open as (
      select id from anchor_transactions
      where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)} and state in ('signed', 'broadcast', 'mined')
      union all (
        select id from anchor_transactions
        where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)} and state = 'deep' and nonce >= ${chainNonce}
        order by nonce limit ${mostLost}
      )
    )
    select id, contract, nonce, state, tx_hashes, signed_bytes, max_fee_per_gas, max_priority_fee_per_gas,
      block_number, block_hash,
      (extract(epoch from now() - updated_at) * 1000)::float8 as "ageMs",
      (select json_agg(json_build_object('id', anchors.id, 'kind', kind, 'hash', '0x' || encode(hash, 'hex'), 'label', label)
          order by created_at, sequence)
        from anchors where transaction_id = anchor_transactions.id) as anchors
    from anchor_transactions join open using (id) order by nonce`
  return rows.map((row) => ({
    id: row.id,
    nonce: Number(row.nonce),
    contract: toHex(row.contract),
    state: row.state,
    txHash: toHex(row.tx_hashes.at(-1) ?? Buffer.of()),
    txHashes: row.tx_hashes.map(toHex),
    signedBytes: toHex(row.signed_bytes),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    block: row.block_hash && { number: Number(row.block_number), hash: toHex(row.block_hash) },
    anchors: row.anchors ?? [],
    ageMs: row.ageMs,
  }))
}

/** The lowest nonce that has no transaction on record. */
export async function nextNonce(sql: Sql, sender: Sender): Promise<number> {
  const [row] = await statement<{ next: bigint }[]>(
    sql,
  )`select coalesce(max(nonce) + 1, 0)::bigint as next from anchor_transactions
    where chain_id = ${sender.chainId} and sender = ${toBytes(sender.address)}`
  return Number(row?.next ?? 0)
}

/**
 * Stores a signed transaction with its events, before any node sees it. False when the nonce or an
 * event was taken meanwhile: nothing was stored, and the signed bytes must be thrown away.
 */
export function storeSigned(
  sql: Sql,
  transaction: NewTransaction,
  anchorIds: readonly string[],
): Promise<boolean> {
  return unlessRefused(
    statement(sql)`
    with stored as (${insertion(sql, transaction)} returning id),
    ${tying(sql, anchorIds)})::integer`,
    selfRefusal,
    uniqueViolation,
  )
}

/**
 * The events of a transaction found on the chain: those that were owed, and `others`, of subjects
 * that the record has lost. `batches` are those of `others` whose receipts it still has.
 */
export type Found = {
  readonly owedIds: readonly string[]
  readonly others: readonly (PendingAnchor & { readonly subjectId: string })[]
  readonly batches: readonly Batch[]
}

/**
 * Records a transaction found on the chain with its events. It may share a nonce that is on record
 * as failed. False when the nonce is on record in another state, or an event was taken: nothing was
 * stored.
 */
export function storeFound(
  sql: Sql,
  transaction: NewTransaction,
  { owedIds, others, batches }: Found,
): Promise<boolean> {
  return unlessRefused(
    statement(sql)`
    with stored as (
      ${insertion(sql, transaction)}
      on conflict (chain_id, sender, nonce) do update set state = excluded.state, contract = excluded.contract,
        tx_hashes = anchor_transactions.tx_hashes || excluded.tx_hashes, signed_bytes = excluded.signed_bytes,
        max_fee_per_gas = excluded.max_fee_per_gas, max_priority_fee_per_gas = excluded.max_priority_fee_per_gas,
        updated_at = excluded.updated_at
      where anchor_transactions.state = 'failed'
      returning id
    ),
    ${placing(sql, batches)},
    added as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, transaction_id, created_at, updated_at)
      select input.*, 'sent', stored.id, now(), now() from stored, ${rowsOf(sql, others, {
        id: ['uuid', ({ id }) => id],
        kind: ['text', ({ kind }) => kind],
        subject_id: ['text', ({ subjectId }) => subjectId],
        sequence: ['integer', () => 0],
        hash: ['bytea', ({ hash }) => toBytes(hash)],
        label: ['text', ({ label }) => label],
      })}
      returning 1
    ),
    ${tying(sql, owedIds)} and (select count(*) from added) = ${others.length} and ${areAllPlaced(sql, batches)})::integer`,
    selfRefusal,
  )
}

function insertion(sql: Sql, transaction: NewTransaction) {
  const { id, sender, contract, nonce, txHash, signedBytes } = transaction
  return sql`
    insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes,
      max_fee_per_gas, max_priority_fee_per_gas, created_at, updated_at)
    values (${id}, ${sender.chainId}, ${toBytes(sender.address)}, ${toBytes(contract)}, ${nonce}, 'signed', array[${toBytes(txHash)}::bytea],
      ${toBytes(signedBytes)}, ${`${transaction.maxFeePerGas}`}, ${`${transaction.maxPriorityFeePerGas}`}, now(), now())`
}

/** Ties events to the row in the CTE `stored`; the statement fails unless every event was free. */
function tying(sql: Sql, anchorIds: readonly string[]) {
  return sql`
    tied as (
      update anchors set state = 'sent', transaction_id = stored.id, updated_at = now()
      from stored
      where anchors.id = any(${array(anchorIds)}::uuid[]) and anchors.state = 'pending'
      returning 1
    )
    select 1 / ((select count(*) from tied) = ${anchorIds.length}`
}

/**
 * Replaces an open transaction by one with higher fees. False when it is mined or given up by now:
 * nothing was stored, and the signed bytes must be thrown away.
 */
export async function storeReplacement(
  sql: Sql,
  id: string,
  contract: string,
  signed: Signed,
): Promise<boolean> {
  const { count } = await statement(
    sql,
  )`update anchor_transactions set state = 'signed', contract = ${toBytes(contract)},
      tx_hashes = tx_hashes || ${toBytes(signed.txHash)}::bytea, signed_bytes = ${toBytes(signed.signedBytes)},
      max_fee_per_gas = ${`${signed.maxFeePerGas}`}, max_priority_fee_per_gas = ${`${signed.maxPriorityFeePerGas}`},
      updated_at = now()
    where id = ${id} and state in ('signed', 'broadcast')`
  return count > 0
}

export async function markBroadcast(sql: Sql, id: string): Promise<void> {
  await statement(
    sql,
  )`update anchor_transactions set state = 'broadcast', updated_at = now() where id = ${id} and state = 'signed'`
}

/** Records only the time: the node may still accept the transaction later. */
export async function markRefused(sql: Sql, id: string): Promise<void> {
  await statement(
    sql,
  )`update anchor_transactions set updated_at = now() where id = ${id} and state in ('signed', 'broadcast')`
}

/** Records the block of a transaction, perhaps not its first, and the log index of each event. */
export async function markMined(
  sql: Sql,
  mined: Mined,
  logs: readonly AnchoredLog[],
): Promise<void> {
  const { block } = mined
  await statement(sql)`
    with mined as (
      update anchor_transactions set state = ${mined.isDeep ? 'deep' : 'mined'}, block_number = ${block.number},
        block_hash = ${toBytes(block.hash)}, updated_at = now()
      where id = ${mined.id}
    )
    update anchors set state = 'anchored', chain_id = ${mined.chainId}, contract = ${toBytes(mined.contract)},
      tx_hash = ${toBytes(mined.txHash)}, block_number = ${block.number}, log_index = log.index, updated_at = now()
    from ${rowsOf(
      sql,
      logs,
      {
        anchor_id: ['uuid', ({ anchorId }) => anchorId],
        index: ['integer', ({ logIndex }) => logIndex],
      },
      'log',
    )}
    where anchors.id = log.anchor_id`
}

/** Records that a transaction is no longer in a block, or emitted no events there. */
export async function markForgotten(sql: Sql, id: string): Promise<void> {
  await statement(sql)`
    with forgotten as (
      update anchor_transactions set state = 'signed', block_number = null, block_hash = null, updated_at = now()
      where id = ${id}
    )
    update anchors set state = 'sent', chain_id = null, contract = null, tx_hash = null, block_number = null, log_index = null,
      updated_at = now()
    where transaction_id = ${id}`
}

/** Records that the nonce was used without emitting the events. They are owed again. */
export async function markFailed(sql: Sql, id: string): Promise<void> {
  await statement(sql)`
    with failed as (update anchor_transactions set state = 'failed', updated_at = now() where id = ${id})
    update anchors set transaction_id = null, state = 'pending', updated_at = now() where transaction_id = ${id}`
}

type OpenRow = {
  id: string
  contract: Buffer
  nonce: bigint
  state: OpenTransaction['state']
  tx_hashes: Buffer[]
  signed_bytes: Buffer
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  block_number: bigint | null
  block_hash: Buffer | null
  anchors: PendingAnchor[] | null
  ageMs: number
}
