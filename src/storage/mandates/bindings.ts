import type { Bindable } from '../../domain/mandates/binding.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/** A payment under a mandate. `capMicro`: the most that all bound payments may amount to. */
export type Binding = {
  readonly accountId: string
  readonly mandateId: string
  readonly amountMicro: bigint
  readonly capMicro: bigint | null
}

export async function findBindable(
  sql: Sql,
  accountId: string,
  mandateId: string,
): Promise<Bindable | undefined> {
  const [row] = await statement<
    {
      id: string
      hash: string
      state: Bindable['state']
      expires: Date
      terms: string
      bound: string
      at: Date
    }[]
  >(sql)`
    select id, hash, state, expires_at as expires, terms, bound_micro as bound, clock_timestamp() as at from mandates
    where id = ${mandateId} and account_id = ${accountId}`
  if (!row) return undefined
  const { id, hash, state, expires, terms, bound, at } = row
  return { id, hash, state, expiresAt: expires.toISOString(), terms, boundMicro: BigInt(bound), at }
}

/**
 * Adds payments to mandates that are active and have room for all of them. Unless it returns
 * `mandatesOf(bindings)` rows, the statement must abort itself; `admit`
 * (domain/mandates/binding.ts) then says why for each payment alone.
 */
export function bind(sql: Sql, bindings: readonly Binding[]) {
  const rows = rowsOf(sql, bindings, {
    account_id: ['uuid', ({ accountId }) => accountId],
    mandate_id: ['text', ({ mandateId }) => mandateId],
    amount_micro: ['numeric', ({ amountMicro }) => amountMicro],
    cap_micro: ['numeric', ({ capMicro }) => capMicro],
  })
  return sql`
    update mandates set bound_micro = bound_micro + wanted.amount_micro
    from (
      select mandates.id, wanted.amount_micro, wanted.cap_micro from mandates join (
        select account_id, mandate_id, sum(amount_micro) as amount_micro, min(cap_micro) as cap_micro
        from ${rows} group by account_id, mandate_id
      ) as wanted on mandates.id = wanted.mandate_id and mandates.account_id = wanted.account_id
      -- In one order everywhere, against deadlocks.
      order by mandates.id for no key update of mandates
    ) as wanted
    where mandates.id = wanted.id and mandates.state in ('signed_by_both', 'in_progress') and mandates.expires_at > now()
      and (cap_micro is null or bound_micro + wanted.amount_micro <= cap_micro)
    returning mandates.id`
}

export type Release = {
  readonly invoiceId: string
  readonly mandateId: string
  readonly amountMicro: bigint
}

/** Gives mandates back the amounts of the invoices in the CTE `updated`. */
export function release(sql: Sql, releases: readonly Release[]) {
  const rows = rowsOf(sql, releases, {
    id: ['uuid', ({ invoiceId }) => invoiceId],
    mandate_id: ['text', ({ mandateId }) => mandateId],
    amount_micro: ['numeric', ({ amountMicro }) => amountMicro],
  })
  return sql`
    update mandates set bound_micro = bound_micro - freed.amount_micro
    from (
      select mandates.id, freed.amount_micro from mandates join (
        select mandate_id, sum(amount_micro) as amount_micro
        from ${rows} join updated using (id) group by mandate_id
      ) as freed on mandates.id = freed.mandate_id
      order by mandates.id for no key update of mandates
    ) as freed
    where mandates.id = freed.id`
}

/** Gives mandates back what purchases no longer count. */
export function unbind(
  sql: Sql,
  freed: readonly { readonly mandateId: string; readonly amountMicro: bigint }[],
) {
  const rows = rowsOf(sql, freed, {
    mandate_id: ['text', ({ mandateId }) => mandateId],
    amount_micro: ['numeric', ({ amountMicro }) => amountMicro],
  })
  return sql`
    update mandates set bound_micro = greatest(0, bound_micro - freed.amount_micro)
    from (select mandate_id, sum(amount_micro) as amount_micro from ${rows} group by mandate_id) as freed
    where mandates.id = freed.mandate_id`
}

export function mandatesOf(bindings: readonly Binding[]): number {
  return new Set(bindings.map(({ accountId, mandateId }) => accountId + mandateId)).size
}
