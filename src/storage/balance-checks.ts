import type { Network } from '../domain/network.ts'
import { array, type Sql, within } from './db.ts'

/** A block, and what an address held when it was done. */
export type Agreed = {
  readonly block: number
  readonly hash: string
  readonly heldBase: bigint
}

/** An address whose balance is to be compared with the transfers on record. */
export type DueCheck = {
  readonly address: string
  /** Where they agreed last; null: never looked at. */
  readonly agreed: Agreed | null
  /** When the address was made, for one invoice alone; null where it is a wallet. */
  readonly madeAt: Date | null
}

/** How a comparison went: `unexplainedBase` is held beyond what the transfers since `agreed` explain. */
export type Checked = {
  readonly address: string
  readonly agreed: Agreed
  readonly unexplainedBase: bigint
}

/** The addresses of a chain that were not looked at since `before`, those that never were first. */
export async function dueChecks(
  sql: Sql,
  chain: Network,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<readonly DueCheck[]> {
  const rows = await within(
    () => sql<Row[]>`
      select address, agreed_block, agreed_hash, agreed_base, invoices.created_at as made_at
      from payment_addresses left join invoices on invoices.id = payment_addresses.invoice_id
      where payment_addresses.chain = ${chain} and checked_at < ${before}
      order by checked_at limit ${limit}`,
  )
  return rows.map((row) => ({
    address: row.address,
    agreed: agreedOf(row),
    madeAt: row.made_at,
  }))
}

type Row = {
  address: string
  agreed_block: bigint | null
  agreed_hash: string | null
  agreed_base: bigint | null
  made_at: Date | null
}

function agreedOf({ agreed_block, agreed_hash, agreed_base }: Row): Agreed | null {
  if (agreed_block === null || agreed_hash === null || agreed_base === null) return null
  return { block: Number(agreed_block), hash: agreed_hash, heldBase: agreed_base }
}

/** What came in by the transfers on record, by address: behind the block of each, up to `to`. */
export async function receivedSince(
  sql: Sql,
  chain: Network,
  since: readonly { readonly address: string; readonly block: number }[],
  to: number,
): Promise<ReadonlyMap<string, bigint>> {
  const first = Math.min(...since.map(({ block }) => block)) + 1
  const rows = await within(
    () => sql<{ address: string; received: bigint }[]>`
      select address, sum(usdc_base)::bigint as received
      from transfers join unnest(
        ${array(since.map(({ address }) => address))}::text[], ${array(since.map(({ block }) => block))}::bigint[]
      ) as since (address, block) on to_address = address and block_number > block
      where chain = ${chain} and block_number between ${first} and ${to} and state <> 'reverted'
      group by address`,
  )
  return new Map(rows.map(({ address, received }) => [address, received]))
}

/** Keeps how comparisons made at `now` went: each address agrees as of its `agreed` block. Addresses that are not known are left out. */
export async function noteChecks(
  sql: Sql,
  chain: Network,
  checks: readonly Checked[],
  now: Date,
): Promise<void> {
  await within(
    () => sql`
      update payment_addresses set checked_at = ${now}, agreed_block = input.block, agreed_hash = input.hash,
        agreed_base = input.held, unexplained_base = input.unexplained
      from unnest(
        ${array(checks.map(({ address }) => address))}::text[],
        ${array(checks.map(({ agreed }) => agreed.block))}::bigint[],
        ${array(checks.map(({ agreed }) => agreed.hash))}::text[],
        ${array(checks.map(({ agreed }) => agreed.heldBase))}::bigint[],
        ${array(checks.map(({ unexplainedBase }) => unexplainedBase))}::bigint[]
      ) as input (address, block, hash, held, unexplained)
      where payment_addresses.chain = ${chain} and payment_addresses.address = input.address`,
  )
}

/** Addresses of a chain whose balance the transfers on record do not explain, and how much that is, whichever way. */
export type Unexplained = {
  readonly chain: Network
  readonly addresses: number
  readonly usdcBase: bigint
  /** The block behind which the oldest of them is not explained. */
  readonly sinceBlock: number
}

/** Chains without such addresses are left out. Errors: `unavailable` after `limitMs`. */
export function unexplainedBalances(sql: Sql, limitMs: number): Promise<readonly Unexplained[]> {
  return within(
    () => sql<Unexplained[]>`
      select chain, count(*)::integer as addresses, sum(abs(unexplained_base))::bigint as "usdcBase",
        min(agreed_block)::float8 as "sinceBlock"
      from payment_addresses where unexplained_base <> 0 group by chain order by chain`,
    limitMs,
  )
}
