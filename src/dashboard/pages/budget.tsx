import { useState } from 'react'
import type { BudgetRecord as Budget } from '../../domain/budgets/view.ts'
import { call } from '../api.ts'
import { money, when } from '../format.ts'
import { budgetChangeOf } from '../forms.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useAction } from '../parts/actions.tsx'
import { BudgetForm, termsText } from '../parts/budget-form.tsx'
import { Figure } from '../parts/figure.tsx'
import { Card, Fact, Page, Show, Status } from '../parts/parts.tsx'
import { type Answer, Progress, pathOf, refresh } from './budgets.tsx'

export function BudgetPage({ agentId }: { agentId: string }) {
  const found = useLoaded<Answer>(pathOf(agentId), refresh)
  return (
    <Page title={agentId} above={['#/budgets', 'Agents & budgets']}>
      <Show from={found}>
        {({ data }) => (
          <>
            <Use budget={data} onChanged={found.reload} />
            <Change budget={data} onChanged={found.reload} />
          </>
        )}
      </Show>
    </Page>
  )
}

function Use({ budget, onChanged }: { budget: Budget; onChanged: () => void }) {
  const { busy, refusal, run } = useAction()
  const { agentId, currency, spent, reserved, limit, active } = budget
  const toggle = () =>
    run(async () => {
      await call('PUT', pathOf(agentId), { active: !active })
      onChanged()
    })
  return (
    <Card title="Budget">
      <p className="big number">
        <Figure minor={budget.remaining} currency={currency} />
      </p>
      <p className="quiet">
        remaining of <Figure minor={limit} currency={currency} />
      </p>
      <Progress budget={budget} />
      <dl>
        <Fact name="Status">
          <Status of={active ? 'active' : 'paused'} />
        </Fact>
        <Fact name="Spent">
          <Figure minor={spent} currency={currency} />
        </Fact>
        <Fact name="Reserved">
          <Figure minor={reserved} currency={currency} />
        </Fact>
        {budget.perTransactionLimit !== null && (
          <Fact name="Per payment">
            up to <Figure minor={budget.perTransactionLimit} currency={currency} />
          </Fact>
        )}
        <Fact name="Period">
          {budget.period}, since {when(budget.periodStart)}
        </Fact>
        <Fact name="Ends">{budget.periodEnd ? when(budget.periodEnd) : 'never'}</Fact>
      </dl>
      {refusal}
      <p className="actions">
        <button type="button" disabled={busy} onClick={toggle}>
          {active ? 'Pause' : 'Resume'}
        </button>
      </p>
    </Card>
  )
}

/** Shows the current terms until somebody edits the form; then those terms stay. */
function Change({ budget, onChanged }: { budget: Budget; onChanged: () => void }) {
  const [kept, setKept] = useState<Budget | null>(null)
  const shown = kept ?? budget
  async function set(fields: FormData) {
    await call('PUT', pathOf(budget.agentId), budgetChangeOf(fields, shown))
    setKept(null)
    onChanged()
  }
  return (
    <BudgetForm
      title="Change the budget"
      button="Save"
      budget={shown}
      onSet={set}
      onFill={() => setKept(shown)}
    >
      {termsText(shown) !== termsText(budget) && (
        <p role="status">
          The budget has changed in the meantime: {money(budget.limit, budget.currency)},{' '}
          {budget.period}. Only your own changes are saved.
        </p>
      )}
    </BudgetForm>
  )
}
