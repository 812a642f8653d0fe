import { schema } from '../../domain/invoices/trail.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { array, clock, type Fragment, type Sql } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { announceTrail } from '../webhooks/outbox.ts'
import { encodeOptions } from './rows.ts'

/** How long a quote waits for a payment. */
export const quoteLife = '24 hours'

/**
 * The CTEs that store quotes beside their invoices, which are sent at once. An index refuses a
 * second open quote for the same.
 */
export function quoteRows(
  sql: Sql,
  quotes: readonly { readonly purchase: Purchase; readonly replaces: string | null }[],
): Fragment {
  const replaced = quotes.flatMap(({ replaces }) => replaces ?? [])
  const purchases = quotes.map(({ purchase }) => purchase)
  return sql`,
    replaced as (
      update purchases set state = 'replaced', version = version + 1
      where invoice_id = any(${array(replaced)}::uuid[]) and state = 'quoted' returning 1
    ),
    quoted as (
      insert into purchases (invoice_id, account_id, version, resource, options, chain, pay_to, usdc_base, agent_id, mandate_id,
        demand_sha256, state, created_at, due_at)
      select invoice_id, account_id, 1, resource, options, chain, pay_to, usdc_base, agent_id, mandate_id,
        demand_sha256, 'quoted', ${clock(sql)}, now() + ${quoteLife}::interval
      from ${rowsOf(
        sql,
        purchases,
        {
          invoice_id: ['uuid', ({ invoiceId }) => invoiceId],
          account_id: ['uuid', ({ accountId }) => accountId],
          resource: ['bytea', ({ resource }) => toBytes(resource)],
          options: ['json text', ({ options }) => encodeOptions(options)],
          chain: ['text', ({ option }) => option.network],
          pay_to: ['bytea', ({ option }) => toBytes(option.payTo)],
          usdc_base: ['bigint', ({ option }) => option.usdcBase],
          agent_id: ['text', ({ agentId }) => agentId],
          mandate_id: ['text', ({ mandateId }) => mandateId],
          demand_sha256: ['bytea', ({ demandSha256 }) => toBytes(demandSha256)],
        },
        'quote',
      )}
      -- After the one that it replaces.
      where (select count(*) from replaced) >= 0
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, types, created_at, schema)
      select id, 2, account_id, 'invoice.sent', now(), ${schema} from invoice_rows
      where id = any(${array(purchases.map(({ invoiceId }) => invoiceId))}::uuid[])
      returning subject_id, sequence, account_id, types
    ),
    sent as (${announceTrail(sql)})`
}
