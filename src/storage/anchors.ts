import { array, type Sql, within } from './db.ts'

/** An on-chain event that is owed: `label` is the receipt id or the mandate's state. */
export type PendingAnchor = {
  readonly id: string
  readonly kind: 'receipt' | 'mandate'
  readonly hash: string
  readonly label: string
}

export type Sender = { readonly chainId: number; readonly address: string }

/** What was signed for a nonce. */
export type Signed = {
  readonly txHash: string
  readonly signedBytes: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A nonce of the sender and the transaction that is to use it, until that is known to be mined. */
export type OpenTransaction = Signed & {
  readonly id: string
  readonly contract: string
  readonly nonce: number
  readonly state: 'signed' | 'broadcast'
  /** All that were ever signed for the nonce, newest last. */
  readonly txHashes: readonly string[]
  readonly anchors: readonly PendingAnchor[]
  readonly updatedAt: Date
}

type NewTransaction = Signed & { id: string; sender: Sender; contract: string; nonce: number }
type Mined = { id: string; chainId: number; contract: string; txHash: string; blockNumber: number }
type AnchoredLog = { readonly anchorId: string; readonly logIndex: number }

/** An anchored event whose receipt's invoice, or whose mandate, has not been told. */
export type Unannounced = {
  readonly id: string
  readonly kind: 'receipt' | 'mandate'
  /** The receipt's id, or the mandate's. */
  readonly subjectId: string
  /** The invoice of a settlement receipt. */
  readonly invoiceId: string | null
}

/** What the anchor worker asks of and writes to this database; each function is one statement. */
export function anchorStore(sql: Sql, now: () => Date) {
  return {
    asOnlySender: (sender: Sender, work: () => Promise<void>) => asOnlySender(sql, sender, work),
    pending: (limit: number) => pendingAnchors(sql, limit),
    open: (sender: Sender) => openTransactions(sql, sender),
    nextNonce: (sender: Sender) => nextNonce(sql, sender),
    reopen: (sender: Sender, fromNonce: number) => reopen(sql, sender, fromNonce, now()),
    storeSigned: (transaction: NewTransaction, anchorIds: readonly string[]) =>
      storeSigned(sql, transaction, anchorIds, now()),
    storeReplacement: (id: string, signed: Signed) => storeReplacement(sql, id, signed, now()),
    markBroadcast: (id: string) => markBroadcast(sql, id, now()),
    markMined: (mined: Mined, logs: readonly AnchoredLog[]) => markMined(sql, mined, logs, now()),
    markFailed: (id: string) => markFailed(sql, id, now()),
    unannounced: (limit: number) => unannounced(sql, limit),
    markAnnounced: (ids: readonly string[]) => markAnnounced(sql, ids),
  }
}

/** Runs `work` unless another process is sending anchors from this sender; answers whether it ran. */
async function asOnlySender(sql: Sql, sender: Sender, work: () => Promise<void>): Promise<boolean> {
  const key = `anchor ${sender.chainId} ${sender.address}`
  const connection = await sql.reserve()
  try {
    const [row] = await connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${key}, 0)) as got`
    if (!row?.got) return false
    try {
      await work()
      return true
    } finally {
      await connection`select pg_advisory_unlock(hashtextextended(${key}, 0))`.catch(() => {})
    }
  } finally {
    connection.release()
  }
}

/** Events that no transaction carries yet, in the order they came about. */
async function pendingAnchors(sql: Sql, limit: number): Promise<readonly PendingAnchor[]> {
  return within(
    () => sql<PendingAnchor[]>`select id, kind, hash, label from anchors
      where state = 'pending' order by created_at, sequence limit ${limit}`,
  )
}

/** The sender's transactions that are not known to be mined, by nonce. */
async function openTransactions(sql: Sql, sender: Sender): Promise<readonly OpenTransaction[]> {
  const rows = await within(
    () => sql<OpenRow[]>`
      select id, contract, nonce, state, tx_hashes, signed_bytes, max_fee_per_gas, max_priority_fee_per_gas, updated_at,
        (select json_agg(json_build_object('id', anchors.id, 'kind', kind, 'hash', hash, 'label', label))
          from anchors where transaction_id = anchor_transactions.id) as anchors
      from anchor_transactions
      where chain_id = ${sender.chainId} and sender = ${sender.address} and state <> 'mined' order by nonce`,
  )
  return rows.map((row) => ({
    id: row.id,
    contract: row.contract,
    nonce: Number(row.nonce),
    state: row.state,
    txHash: row.tx_hashes.at(-1) ?? '',
    txHashes: row.tx_hashes,
    signedBytes: row.signed_bytes,
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    anchors: row.anchors ?? [],
    updatedAt: row.updated_at,
  }))
}

/** The lowest nonce this sender has not signed anything for, as far as the record goes; 0 when there is no record. */
async function nextNonce(sql: Sql, sender: Sender): Promise<number> {
  const [row] = await within(
    () => sql<
      { next: bigint }[]
    >`select coalesce(max(nonce) + 1, 0)::bigint as next from anchor_transactions
      where chain_id = ${sender.chainId} and sender = ${sender.address}`,
  )
  return Number(row?.next ?? 0)
}

/** Takes transactions for unmined again that a reorganised chain has forgotten: those at `fromNonce` and later. */
async function reopen(sql: Sql, sender: Sender, fromNonce: number, now: Date): Promise<number> {
  const reopened = await within(
    () => sql`update anchor_transactions set state = 'signed', updated_at = ${now}
      where chain_id = ${sender.chainId} and sender = ${sender.address} and nonce >= ${fromNonce} and state = 'mined'`,
  )
  return reopened.count
}

/**
 * Stores a signed transaction and ties its events to it, in one statement, before any node hears of it. False when the nonce
 * or one of the events was taken meanwhile: then nothing was stored and the bytes must be thrown away.
 */
async function storeSigned(
  sql: Sql,
  transaction: NewTransaction,
  anchorIds: readonly string[],
  now: Date,
): Promise<boolean> {
  const { id, sender, contract, nonce, txHash, signedBytes } = transaction
  try {
    await within(
      () => sql`
      with stored as (
        insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes,
          max_fee_per_gas, max_priority_fee_per_gas, created_at, updated_at)
        values (${id}, ${sender.chainId}, ${sender.address}, ${contract}, ${nonce}, 'signed', array[${txHash}::text],
          ${signedBytes}, ${`${transaction.maxFeePerGas}`}, ${`${transaction.maxPriorityFeePerGas}`}, ${now}, ${now})
        returning id
      ),
      tied as (
        update anchors set state = 'sent', transaction_id = ${id}, updated_at = ${now}
        where id = any(${array(anchorIds)}::uuid[]) and state = 'pending' and exists (select from stored)
        returning 1
      )
      select 1 / ((select count(*) from tied) = ${anchorIds.length})::integer`,
    )
    return true
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code === divisionByZero || code === uniqueViolation) return false
    throw error
  }
}

/** Puts another transaction in the place of an open one: same nonce, same events, higher fees. */
async function storeReplacement(sql: Sql, id: string, signed: Signed, now: Date): Promise<void> {
  await within(
    () => sql`update anchor_transactions set state = 'signed', tx_hashes = tx_hashes || ${signed.txHash}::text,
        signed_bytes = ${signed.signedBytes}, max_fee_per_gas = ${`${signed.maxFeePerGas}`},
        max_priority_fee_per_gas = ${`${signed.maxPriorityFeePerGas}`}, updated_at = ${now}
      where id = ${id} and state <> 'mined'`,
  )
}

async function markBroadcast(sql: Sql, id: string, now: Date): Promise<void> {
  await within(
    () =>
      sql`update anchor_transactions set state = 'broadcast', updated_at = ${now} where id = ${id} and state = 'signed'`,
  )
}

/** Records that a transaction was mined and which log each of its events is. */
async function markMined(
  sql: Sql,
  mined: Mined,
  logs: readonly AnchoredLog[],
  now: Date,
): Promise<void> {
  await within(
    () => sql`
    with mined as (
      update anchor_transactions set state = 'mined', updated_at = ${now} where id = ${mined.id}
    )
    update anchors set state = 'anchored', chain_id = ${mined.chainId}, contract = ${mined.contract},
      tx_hash = ${mined.txHash}, block_number = ${mined.blockNumber}, log_index = log.index, updated_at = ${now}
    from unnest(${array(logs.map(({ anchorId }) => anchorId))}::uuid[], ${array(logs.map(({ logIndex }) => logIndex))}::integer[])
      as log (anchor_id, index)
    where anchors.id = log.anchor_id`,
  )
}

/** A mined transaction that failed emitted nothing: its events are owed again. */
async function markFailed(sql: Sql, id: string, now: Date): Promise<void> {
  await within(
    () => sql`
    with failed as (update anchor_transactions set state = 'mined', updated_at = ${now} where id = ${id})
    update anchors set state = 'pending', transaction_id = null, updated_at = ${now} where transaction_id = ${id}`,
  )
}

async function unannounced(sql: Sql, limit: number): Promise<readonly Unannounced[]> {
  return within(
    () => sql<Unannounced[]>`
      select anchors.id, anchors.kind, anchors.subject_id as "subjectId", receipts.subject_id as "invoiceId"
      from anchors left join receipts on anchors.kind = 'receipt' and receipts.id = anchors.subject_id
        and receipts.kind = 'settlement'
      where anchors.state = 'anchored' and not anchors.announced order by anchors.updated_at limit ${limit}`,
  )
}

async function markAnnounced(sql: Sql, ids: readonly string[]): Promise<void> {
  await within(() => sql`update anchors set announced = true where id = any(${array(ids)}::uuid[])`)
}

const divisionByZero = '22012'
const uniqueViolation = '23505'

type OpenRow = {
  id: string
  contract: string
  nonce: bigint
  state: 'signed' | 'broadcast'
  tx_hashes: string[]
  signed_bytes: string
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  anchors: PendingAnchor[] | null
  updated_at: Date
}
