import type { FormEvent, ReactNode } from 'react'
import { periods } from '../../domain/budgets/period.ts'
import type { BudgetRecord as Budget } from '../../domain/budgets/view.ts'
import { minorScale, toAmount } from '../../domain/money/money.ts'
import { useAction } from './actions.tsx'
import { Field } from './fields.tsx'

export function BudgetForm(props: {
  title: string
  button: string
  budget?: Budget
  onSet: (fields: FormData) => Promise<void>
  onFill?: () => void
  children?: ReactNode
}) {
  const { title, button, budget, onSet, onFill, children } = props
  const { busy, refusal, run } = useAction()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void run(() => onSet(new FormData(form)), form)
  }
  return (
    <form className="card form" onSubmit={submit} onInput={onFill} aria-label={title}>
      <h2>{title}</h2>
      {children}
      <BudgetFields key={budget && termsText(budget)} budget={budget} />
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          {button}
        </button>
      </p>
    </form>
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
        <Field
          label="Currency"
          name="currency"
          defaultValue={budget?.currency ?? 'USDC'}
          maxLength={4}
          required
        />
      </div>
      <Field
        label="Limit per payment"
        name="perTransactionLimit"
        inputMode="decimal"
        hint="Optional"
        defaultValue={typedAmount(budget?.perTransactionLimit, budget)}
      />
      <label className="field">
        <span>Period</span>
        <select name="period" defaultValue={budget?.period ?? 'month'}>
          {periods.map((period) => (
            <option key={period}>{period}</option>
          ))}
        </select>
      </label>
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
