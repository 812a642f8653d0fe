import { serviceAccountId } from '../../domain/accounts/account.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { addressKey, type Network, networks } from '../../domain/network.ts'
import { type InBytes, inText, toBytes, toText } from '../postgres/chain-bytes.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/**
 * All payment addresses of a chain, as in transfers; null when there are more than `most`. None is
 * ever dropped, because money arrives late.
 */
export async function paymentAddresses(
  sql: Sql,
  chain: Network,
  most: number | null,
): Promise<readonly string[] | null> {
  const rows = await statement<{ address: Buffer }[]>(sql)`
    select address from payment_addresses where chain = ${chain} limit ${most === null ? null : most + 1}`
  return most !== null && rows.length > most
    ? null
    : rows.map(({ address }) => toText(chain, address))
}

export async function firstAddressAt(sql: Sql, chain: Network): Promise<Date | null> {
  const [row] = await statement<{ first_address_at: Date }[]>(sql)`
    select first_address_at from chain_beginnings where chain = ${chain}`
  return row?.first_address_at ?? null
}

export async function ours(
  sql: Sql,
  chain: Network,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const rows = await statement<{ address: Buffer }[]>(sql)`
    select address from payment_addresses where chain = ${chain} and address = any(${array(addresses.map(toBytes))}::bytea[])`
  return rows.map(({ address }) => toText(chain, address))
}

/** Whether invoices are or were paid at the address, on any chain. */
export async function isPaidAt(sql: Sql, address: string): Promise<boolean> {
  const rows = await statement(sql)`
    select from payment_addresses where chain = any(${array(networks)}::text[]) and address = ${toBytes(address)} limit 1`
  return rows.length > 0
}

/** On any chain: money may come on the wrong one. */
export async function depositsAmong(
  sql: Sql,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await statement<{ chain: Network; address: Buffer }[]>(sql)`
    select chain, address from payment_addresses
    where chain = any(${array(networks)}::text[]) and address = any(${array(addresses.map(toBytes))}::bytea[]) and derivation_index is not null`
  return new Set(rows.map(({ chain, address }) => toText(chain, address)))
}

/** A deposit address that has received money, and its index under the operator's key. */
export type FilledDeposit = {
  readonly index: number
  readonly chain: Network
  readonly address: string
  readonly invoiceId: string
  /** Confirmed transfers, credited or held; may have been moved on since. */
  readonly receivedUsdcBase: bigint
}

/**
 * Filled deposit addresses with index `from` or higher, lowest first. The lateral join stops when
 * there are enough.
 */
export async function filledDeposits(
  sql: Sql,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly FilledDeposit[]> {
  const rows = await statement<InBytes<FilledDeposit, 'address'>[]>(sql)`
    select derivation_index as index, chain, address, invoice_id as "invoiceId", received as "receivedUsdcBase"
    from payment_addresses, lateral (
      select sum(usdc_base)::bigint as received from transfers
      where transfers.chain = payment_addresses.chain and to_address = address and state = 'confirmed'
    ) as transferred
    where derivation_index >= ${from} and received is not null
    order by derivation_index limit ${limit}`
  return rows.map((row) => inText(row.chain, row, 'address'))
}

/** No index is given out twice. */
export async function takeDepositIndexes(sql: Sql, count: number): Promise<readonly number[]> {
  const rows = await statement<{ index: number }[]>(sql)`
    select nextval('deposit_indexes')::integer as index from generate_series(1, ${count})`
  return rows.map(({ index }) => index)
}

/** Records wallets of the service, so that money to them is seen before an invoice names them. */
export async function recordWallets(
  sql: Sql,
  wallets: readonly { readonly chain: Network; readonly address: string }[],
): Promise<void> {
  const unused = wallets.map((wallet) => ({ ...wallet, accountId: null, isShared: false }))
  if (wallets.length > 0) await statement(sql)`with ${walletRows(sql, unused)} select`
}

/**
 * Records where new invoices are paid, and whether by several accounts, also for known addresses: a
 * restored database may have forgotten them.
 */
export function addressRows(sql: Sql, invoices: readonly Invoice[]) {
  return sql`${sharedRows(sql, invoices)}${depositRows(sql, invoices)}`
}

function sharedRows(sql: Sql, invoices: readonly Invoice[]) {
  const shared = invoices.filter(
    ({ terms }) => terms.depositIndex === undefined && !terms.isPurchase,
  )
  if (shared.length === 0) return sql``
  const byWallet = Map.groupBy(shared, ({ terms }) => `${terms.chain} ${addressKey(terms.payTo)}`)
  // In one order everywhere, against deadlocks.
  const wallets = [...byWallet.keys()].sort().map((key): Wallet => {
    const there = byWallet.get(key) ?? []
    const { chain, payTo } = (there[0] as Invoice).terms
    const accounts = new Set(there.map(({ accountId }) => accountId))
    accounts.delete(serviceAccountId)
    const [accountId = null] = accounts
    return { chain, address: payTo, accountId, isShared: accounts.size > 1 }
  })
  return sql`, ${walletRows(sql, wallets)}`
}

/** `accountId`: of an invoice there; null: none that counts. */
type Wallet = {
  readonly chain: Network
  readonly address: string
  readonly accountId: string | null
  readonly isShared: boolean
}

function walletRows(sql: Sql, wallets: readonly Wallet[]) {
  return sql`shared as (
      insert into payment_addresses as known (chain, address, account_id, is_shared)
      select * from ${rowsOf(sql, wallets, {
        chain: ['text', ({ chain }) => chain],
        address: ['bytea', ({ address }) => toBytes(address)],
        account_id: ['uuid', ({ accountId }) => accountId],
        is_shared: ['boolean', ({ isShared }) => isShared],
      })}
      -- Twice as fast as an insertion that conflicts.
      where not exists (
        select from payment_addresses as known where (known.chain, known.address) = (input.chain, input.address)
          and (known.is_shared or input.account_id is null or known.account_id = input.account_id and not input.is_shared)
      )
      on conflict (chain, address) do update set account_id = coalesce(known.account_id, excluded.account_id),
        is_shared = known.is_shared or excluded.is_shared or coalesce(known.account_id <> excluded.account_id, false)
    )`
}

function depositRows(sql: Sql, invoices: readonly Invoice[]) {
  const deposits = invoices.flatMap(({ id, terms: { chain, payTo, depositIndex } }) =>
    depositIndex === undefined ? [] : [{ id, chain, payTo, depositIndex }],
  )
  if (deposits.length === 0) return sql``
  return sql`,
    deposits as (
      insert into payment_addresses (chain, address, invoice_id, derivation_index)
      select * from ${rowsOf(sql, deposits, {
        chain: ['text', ({ chain }) => chain],
        address: ['bytea', ({ payTo }) => toBytes(payTo)],
        invoice_id: ['uuid', ({ id }) => id],
        derivation_index: ['integer', ({ depositIndex }) => depositIndex],
      })}
    )`
}
