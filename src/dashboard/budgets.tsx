import type { FormEvent } from 'react'
import { call, useLoaded } from './api.ts'
import { amountRule, minorOf, money, when } from './format.ts'
import { toldInPart } from './live.ts'
import {
  Card,
  Empty,
  Fact,
  Field,
  Page,
  Pager,
  placeIn,
  Show,
  Status,
  Table,
  useAction,
} from './parts.tsx'

export type Budget = {
  readonly agentId: string
  readonly currency: string
  readonly period: string
  readonly periodStart: string
  readonly periodEnd: string | null
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  readonly remaining: number
  readonly perTransactionLimit: number | null
  readonly active: boolean
}

type List = {
  readonly data: readonly Budget[]
  readonly nextCursor: string | null
}

const periods = ['day', 'week', 'month', 'total']
const refresh = { everyMs: 5_000, ...toldInPart('budgets') }

/** The budgets of all agents with their use, and a form that sets one. */
export function Budgets({ query }: { query: string }) {
  const { isFirst, parameter, turns } = placeIn(query)
  const found = useLoaded<List>(`/api/budget?limit=20${parameter}`, refresh)
  return (
    <Page title="Agents & budgets">
      <Show from={found}>
        {({ data, nextCursor }) =>
          data.length === 0 && isFirst ? (
            <Empty>No agent has a budget yet: without one, an agent may spend anything.</Empty>
          ) : (
            <>
              <BudgetTable budgets={data} />
              {(!isFirst || nextCursor) && (
                <Pager names={['Back', 'More']} {...turns(nextCursor)} />
              )}
            </>
          )
        }
      </Show>
      <SetBudget />
    </Page>
  )
}

function BudgetTable({ budgets }: { budgets: readonly Budget[] }) {
  return (
    <Table label="Budgets" head={['Agent', 'State', 'Used', 'Limit', 'Period', 'Ends']}>
      {budgets.map((one) => (
        <tr key={one.agentId}>
          <td>
            <a
              className="cut"
              title={one.agentId}
              href={`#/budgets/${encodeURIComponent(one.agentId)}`}
            >
              {one.agentId}
            </a>
          </td>
          <td>
            <Status of={one.active ? 'active' : 'paused'} />
          </td>
          <td className="used">
            <Progress budget={one} /> {usedText(one)}
          </td>
          <td className="number">{money(one.limit, one.currency)}</td>
          <td>{one.period}</td>
          <td>{one.periodEnd ? when(one.periodEnd) : 'never'}</td>
        </tr>
      ))}
    </Table>
  )
}

function Progress({ budget: { agentId, limit, spent, reserved } }: { budget: Budget }) {
  const label = `Spent and reserved by ${agentId}`
  return <progress max={limit || 1} value={spent + reserved} aria-label={label} />
}

/** How much of a budget is spent or reserved: `42 %`. */
export function usedText({ limit, spent, reserved }: Budget): string {
  const used = spent + reserved
  if (limit === 0) return used > 0 ? 'over' : '0 %'
  return `${Math.floor((used / limit) * 100)} %`
}

function SetBudget() {
  const { busy, refusal, run } = useAction()
  function set(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => `${form.get(name)}`.trim()
    void run(async () => {
      const currency = text('currency').toUpperCase()
      const limit = minorOf(text('limit'), currency)
      if (limit === null) throw new Error(`The limit is ${amountRule(currency)}`)
      await call('PUT', pathOf(text('agent')), { limit, currency, period: text('period') })
      location.hash = `#/budgets/${encodeURIComponent(text('agent'))}`
    })
  }
  return (
    <form className="card form" onSubmit={set} aria-label="Set a budget">
      <h2>Set a budget</h2>
      <Field label="Agent" name="agent" required maxLength={256} />
      <div className="pair">
        <Field label="Limit" name="limit" inputMode="decimal" placeholder="500.00" required />
        <Field label="Currency" name="currency" defaultValue="USDC" maxLength={4} required />
      </div>
      <label className="field">
        <span>Period</span>
        <select name="period" defaultValue="month">
          {periods.map((period) => (
            <option key={period}>{period}</option>
          ))}
        </select>
      </label>
      {refusal}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          Set budget
        </button>
      </p>
    </form>
  )
}

export function BudgetPage({ agentId }: { agentId: string }) {
  const found = useLoaded<{ readonly data: Budget }>(pathOf(agentId), refresh)
  return (
    <Page title={agentId} above={['#/budgets', 'Agents & budgets']}>
      <Show from={found}>{({ data }) => <Use budget={data} onChanged={found.reload} />}</Show>
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
      <p className="big number">{money(budget.remaining, currency)}</p>
      <p className="quiet">remaining of {money(limit, currency)}</p>
      <Progress budget={budget} />
      <dl>
        <Fact name="State">
          <Status of={active ? 'active' : 'paused'} />
        </Fact>
        <Fact name="Spent">{money(spent, currency)}</Fact>
        <Fact name="Reserved">{money(reserved, currency)}</Fact>
        {budget.perTransactionLimit !== null && (
          <Fact name="At once">up to {money(budget.perTransactionLimit, currency)}</Fact>
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

function pathOf(agentId: string): string {
  return `/api/budget/${encodeURIComponent(agentId)}`
}
