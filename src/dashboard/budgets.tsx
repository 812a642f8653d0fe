import { type FormEvent, type ReactNode, useState } from 'react'
import { minorScale, toAmount } from '../domain/money.ts'
import { call, type Refusal, useLoaded } from './api.ts'
import { money, when } from './format.ts'
import { budgetChangeOf, budgetOf } from './forms.ts'
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

type Answer = { readonly data: Budget }
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
            <a className="cut" title={one.agentId} href={pageOf(one.agentId)}>
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

/** Sets the budget of an agent that has none; one that exists is changed on its own page. */
function SetBudget() {
  const [existing, setExisting] = useState<Budget | null>(null)
  async function set(fields: FormData) {
    const agentId = `${fields.get('agentId')}`.trim()
    const wanted = budgetOf(fields)
    const found = await call<Answer>('GET', pathOf(agentId)).catch(noneIfUnknown)
    setExisting(found?.data ?? null)
    if (found) return
    await call('PUT', pathOf(agentId), wanted)
    location.hash = pageOf(agentId)
  }
  return (
    <BudgetForm title="Set a budget" button="Set budget" onSet={set}>
      <Field label="Agent" name="agentId" required maxLength={256} />
      {existing && (
        <p className="refusal" role="alert">
          {existing.agentId} has a budget already: {money(existing.limit, existing.currency)},{' '}
          {existing.period}. <a href={pageOf(existing.agentId)}>Change it there</a>
        </p>
      )}
    </BudgetForm>
  )
}

function noneIfUnknown(refusal: Refusal): null {
  if (refusal.status === 404) return null
  throw refusal
}

/** The terms of a budget to fill in, which begin as those of `budget`. */
function BudgetForm(props: {
  title: string
  button: string
  budget?: Budget
  onSet: (fields: FormData) => Promise<void>
  /** Somebody fills something in. */
  onFill?: () => void
  /** What stands before the terms. */
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
          defaultValue={typed(budget?.limit, budget)}
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
        label="At once, at most"
        name="perTransactionLimit"
        inputMode="decimal"
        hint="What one payment may take; optional"
        defaultValue={typed(budget?.perTransactionLimit, budget)}
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

/** The terms of a budget as text, the same for the same terms. */
function termsText({ limit, currency, period, perTransactionLimit }: Budget): string {
  return JSON.stringify([limit, currency, period, perTransactionLimit])
}

/** An amount of a budget as somebody would type it. */
function typed(minor: number | null | undefined, budget: Budget | undefined): string {
  if (typeof minor !== 'number' || !budget) return ''
  return toAmount(BigInt(minor), minorScale(budget.currency))
}

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

/** Shows the terms that are in force until somebody fills something in, from then on those. */
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
          The budget was changed meanwhile: {money(budget.limit, budget.currency)}, {budget.period}.
          Only what you change here is saved.
        </p>
      )}
    </BudgetForm>
  )
}

function pageOf(agentId: string): string {
  return `#/budgets/${encodeURIComponent(agentId)}`
}

function pathOf(agentId: string): string {
  return `/api/budget/${encodeURIComponent(agentId)}`
}
