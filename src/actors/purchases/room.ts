import { heldFor } from '../../domain/budgets/budget.ts'
import { type Agent, at } from '../../domain/budgets/count.ts'
import * as Mandates from '../../domain/mandates/binding.ts'
import { costMinor } from '../../domain/purchases/order.ts'
import type { Hold, Purchase } from '../../domain/purchases/purchase.ts'
import { loadAgent } from '../../storage/budgets/budgets.ts'
import { type Binding, findBindable } from '../../storage/mandates/bindings.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { FxOf } from '../exchange-rates.ts'

/** What a payment takes: the budget with its hold, and what it binds of the mandate. */
export type Room = {
  readonly agent: Agent | null
  readonly hold: Hold | null
  readonly binding: Binding | null
  readonly mandateHash: string | null
}

/**
 * Whether budget and mandate have room for this much, and what it would take of them: an ask only
 * looks, a claim commits it. Errors: `budget_exceeded`, `mandate_not_active`,
 * `mandate_limit_exceeded`, `mandate_currency_mismatch`.
 */
export async function roomFor(
  { sql, fxOf }: { readonly sql: Sql; readonly fxOf: FxOf },
  { accountId, agentId, mandateId }: Pick<Purchase, 'accountId' | 'agentId' | 'mandateId'>,
  usdcBase: bigint,
): Promise<Room> {
  const [read, mandate] = await Promise.all([
    agentId === null ? null : loadAgent(sql, accountId, agentId),
    mandateId === null ? null : findBindable(sql, accountId, mandateId),
  ])
  const bound = { agent: null, hold: null, binding: null, mandateHash: null }
  const room: Room = mandateId === null ? bound : { ...bound, ...bind() }
  const current = read && at(read.agent, read.at)
  if (!current?.budget) return room
  const { currency } = current.budget.terms
  const amountMinor = costMinor(usdcBase, currency, await fxOf(currency))
  const hold = { amountMinor, periodNumber: current.budget.periodNumber }
  return { ...room, agent: heldFor(current, amountMinor), hold }

  function bind() {
    const payment = { currency: 'USDC', amountMicro: usdcBase }
    const { mandateHash, cap } = Mandates.admit(mandate ?? undefined, payment)
    const amounts = { amountMicro: usdcBase, capMicro: cap.amountMicro }
    return { mandateHash, binding: { accountId, mandateId: mandateId ?? '', ...amounts } }
  }
}
