import type { ReactNode } from 'react'
import { periods } from '../../domain/budgets/period.ts'
import type { BudgetRecord as Budget } from '../../domain/budgets/view.ts'
import { minorScale, toAmount } from '../../domain/money/money.ts'
import { budgetProblems } from '../forms.ts'
import { CurrencyChoice } from './choices.tsx'
import { Choice, Field, Form } from './fields.tsx'

export function BudgetForm(props: {
  title: string
  button: string
  budget?: Budget
  onSet: (fields: FormData) => Promise<void>
  onFill?: () => void
  children?: ReactNode
}) {
  const { title, button, budget, onSet, onFill, children } = props
  return (
    <Form title={title} button={button} check={budgetProblems} onSubmit={onSet} onInput={onFill}>
      {children}
      <BudgetFields key={budget && termsText(budget)} budget={budget} />
    </Form>
  )
}

function BudgetFields({ budget }: { budget: Budget | undefined }) {
  return (
    <>
      <div className="pair">
        <Field
          label="Limit"
          name="limit"
          inputMode="decimal"
          placeholder="500.00"
          defaultValue={typedAmount(budget?.limit, budget)}
          required
        />
        <CurrencyChoice chosen={budget?.currency} />
      </div>
      <Field
        label="Limit per payment"
        name="perTransactionLimit"
        inputMode="decimal"
        placeholder="No limit"
        defaultValue={typedAmount(budget?.perTransactionLimit, budget)}
      />
      <Choice label="Period" name="period" defaultValue={budget?.period ?? 'month'}>
        {periods.map((period) => (
          <option key={period}>{period}</option>
        ))}
      </Choice>
    </>
  )
}

export function termsText({ limit, currency, period, perTransactionLimit }: Budget): string {
  return JSON.stringify([limit, currency, period, perTransactionLimit])
}

function typedAmount(minor: number | null | undefined, budget: Budget | undefined): string {
  if (typeof minor !== 'number' || !budget) return ''
  return toAmount(BigInt(minor), minorScale(budget.currency))
}
