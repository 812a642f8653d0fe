import type { Network } from '../../domain/network.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { ago, clock, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/** A block, and the balance of an address after it. */
export type Agreed = {
  readonly block: number
  readonly hash: string
  readonly heldBase: bigint
}

export type DueCheck = {
  readonly address: string
  /** Where balance and transfers last agreed; null: never checked. */
  readonly agreed: Agreed | null
  /** When it was created, if it is new and belongs to one invoice. */
  readonly madeAt: Date | null
}

/** `unexplainedBase`: the balance minus the transfers since `agreed`; negative: some is missing. */
export type Checked = {
  readonly address: string
  readonly agreed: Agreed
  readonly unexplainedBase: bigint
}

/**
 * At most `limit` addresses, not checked for `everyMs`; new: of an invoice younger than `newMs`.
 */
export type Due = { readonly everyMs: number; readonly newMs: number; readonly limit: number }

/**
 * Due addresses by PostgreSQL's clock, never checked ones first. A time in the future is due too.
 */
export async function dueChecks(
  sql: Sql,
  chain: Network,
  { everyMs, newMs, limit }: Due,
): Promise<readonly DueCheck[]> {
  const rows = await statement<Row[]>(sql)`
    select address, agreed_block, agreed_hash, agreed_base, invoices.created_at as made_at
    from payment_addresses
    left join invoices on invoices.id = payment_addresses.invoice_id and invoices.created_at > ${ago(sql, newMs)}
    where payment_addresses.chain = ${chain} and checked_at not between ${ago(sql, everyMs)} and now()
    order by checked_at limit ${limit}`
  return rows.map((row) => ({
    address: toText(chain, row.address),
    agreed: agreedOf(chain, row),
    madeAt: row.made_at,
  }))
}

type Row = {
  address: Buffer
  agreed_block: bigint | null
  agreed_hash: Buffer | null
  agreed_base: bigint | null
  made_at: Date | null
}

function agreedOf(chain: Network, { agreed_block, agreed_hash, agreed_base }: Row): Agreed | null {
  if (agreed_block === null || agreed_hash === null || agreed_base === null) return null
  return { block: Number(agreed_block), hash: toText(chain, agreed_hash), heldBase: agreed_base }
}

/**
 * The transfers to each address after its block up to `to`. Address by address: one that has not
 * agreed for long does not make the others read more.
 */
export async function receivedSince(
  sql: Sql,
  chain: Network,
  since: readonly { readonly address: string; readonly block: number }[],
  to: number,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await statement<{ address: Buffer; received: bigint }[]>(sql)`
    select address, received
    from ${rowsOf(
      sql,
      since,
      {
        address: ['bytea', ({ address }) => toBytes(address)],
        block: ['bigint', ({ block }) => block],
      },
      'since',
    )}, lateral (
      select sum(usdc_base)::bigint as received from transfers
      where chain = ${chain} and to_address = address and block_number > block and block_number <= ${to}
        and state <> 'reverted'
    ) as transferred
    where received is not null`
  return new Map(rows.map(({ address, received }) => [toText(chain, address), received]))
}

/** Stores comparisons made just now. Unknown addresses are ignored. */
export async function noteChecks(
  sql: Sql,
  chain: Network,
  checks: readonly Checked[],
): Promise<void> {
  await statement(sql)`
    update payment_addresses set checked_at = ${clock(sql)}, agreed_block = input.block, agreed_hash = input.hash,
      agreed_base = input.held, unexplained_base = input.unexplained
    from ${rowsOf(sql, checks, {
      address: ['bytea', ({ address }) => toBytes(address)],
      block: ['bigint', ({ agreed }) => agreed.block],
      hash: ['bytea', ({ agreed }) => toBytes(agreed.hash)],
      held: ['bigint', ({ agreed }) => agreed.heldBase],
      unexplained: ['bigint', ({ unexplainedBase }) => unexplainedBase],
    })}
    where payment_addresses.chain = ${chain} and payment_addresses.address = input.address`
}

/** Addresses whose balance transfers do not explain, and the sum of the absolute differences. */
export type Unexplained = {
  readonly chain: Network
  readonly addresses: number
  readonly usdcBase: bigint
  /** The earliest `agreed` block among them. */
  readonly sinceBlock: number
}

/** Chains without any are left out. */
export function unexplainedBalances(sql: Sql, limitMs: number): Promise<readonly Unexplained[]> {
  return statement<Unexplained[]>(sql, limitMs)`
    select chain, count(*)::integer as addresses, sum(abs(unexplained_base))::bigint as "usdcBase",
      min(agreed_block)::float8 as "sinceBlock"
    from payment_addresses where unexplained_base <> 0 group by chain order by chain`
}
