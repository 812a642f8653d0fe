import type { Sql } from '../../storage/postgres/db.ts'
import type { Budgets } from '../budgets.ts'
import type { FxOf } from '../exchange-rates.ts'
import type { Invoices } from '../invoices.ts'
import { createAnswers } from './answers.ts'
import { createPurchaseBudgets } from './budgets.ts'
import { createPurchaseCredits } from './credits.ts'
import type { PurchaseReaders } from './lookup.ts'
import { createOutcomes } from './outcomes.ts'
import { createPreparing } from './preparing.ts'
import { createVoiding } from './voiding.ts'

export type Purchases = ReturnType<typeof createPurchases>

type Options = {
  readonly sql: Sql
  readonly invoices: Invoices
  readonly budgets: Budgets
  readonly readers: PurchaseReaders
  readonly fxOf: FxOf
  readonly now: () => Date
  readonly log: { warn(line: object, message: string): void }
}

/** Purchases through the proxy. Every step is idempotent. */
export function createPurchases(options: Options) {
  const { sql, invoices } = options
  const budget = createPurchaseBudgets(options)
  const credits = createPurchaseCredits(invoices)
  const voiding = createVoiding(sql, invoices)
  const outcomes = createOutcomes({ sql, budget, credits })
  const { accept, discredit, forgetTransaction, expire } = outcomes
  const { voidInvoice, voidUnpaid } = voiding
  return {
    ...createPreparing({ ...options, budget, voiding }),
    ...createAnswers({ ...options, outcomes }),
    ...{ accept, discredit, forgetTransaction, expire },
    voidInvoice,
    voidUnpaid,
  }
}
