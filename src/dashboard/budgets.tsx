import type { FormEvent } from 'react'
import { call, type Loaded, useLoaded } from './api.ts'
import { minorOf, money, when } from './format.ts'
import { Card, Fact, Field, Page, Show, Status, useAction } from './parts.tsx'

type Record = {
  readonly agentId: string
  readonly currency: string
  readonly period: string
  readonly periodEnd: string | null
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  readonly remaining: number
  readonly active: boolean
}

const periods = ['day', 'week', 'month', 'total']

/** The way to an agent's budget, and a form that sets one. */
export function Budgets() {
  const { busy, refusal, run } = useAction()
  function look(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    show(`${new FormData(event.currentTarget).get('agent')}`)
  }
  function set(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => `${form.get(name)}`.trim()
    void run(async () => {
      const currency = text('currency').toUpperCase()
      const limit = minorOf(text('limit'), currency)
      if (limit === null) throw new Error('The limit is a positive number, such as 500.00')
      await call('PUT', pathOf(text('agent')), { limit, currency, period: text('period') })
      show(text('agent'))
    })
  }
  return (
    <Page title="Agents & budgets">
      <form className="card form" onSubmit={look} aria-label="Find a budget">
        <h2>Find a budget</h2>
        <Field label="Agent" name="agent" required maxLength={256} />
        <p className="actions">
          <button type="submit">Show budget</button>
        </p>
      </form>
      <form className="card form" onSubmit={set} aria-label="Set a budget">
        <h2>Set a budget</h2>
        <Field label="Agent" name="agent" required maxLength={256} />
        <Field label="Limit" name="limit" inputMode="decimal" placeholder="500.00" required />
        <Field label="Currency" name="currency" defaultValue="USDC" maxLength={4} required />
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
    </Page>
  )
}

export function Budget({ agentId }: { agentId: string }) {
  const found = useLoaded<{ readonly data: Record }>(pathOf(agentId), 5_000)
  return (
    <Page title={agentId}>
      <Show from={found}>{({ data }) => <Use budget={data} onChanged={found.reload} />}</Show>
    </Page>
  )
}

function Use({ budget, onChanged }: { budget: Record; onChanged: Loaded<Record>['reload'] }) {
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
      <p>
        <progress max={limit || 1} value={spent + reserved} aria-label="Spent and reserved" />
      </p>
      <dl>
        <Fact name="State">
          <Status of={active ? 'active' : 'paused'} />
        </Fact>
        <Fact name="Spent">{money(spent, currency)}</Fact>
        <Fact name="Reserved">{money(reserved, currency)}</Fact>
        <Fact name="Period">{budget.period}</Fact>
        <Fact name="Ends">{budget.periodEnd ? when(budget.periodEnd) : 'Never'}</Fact>
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

function show(agentId: string): void {
  location.hash = `#/budgets/${encodeURIComponent(agentId)}`
}
