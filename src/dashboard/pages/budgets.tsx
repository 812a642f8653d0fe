import { useState } from 'react'
import type { BudgetRecord as Budget } from '../../domain/budgets/view.ts'
import { call, type Refusal } from '../api.ts'
import { money, when } from '../format.ts'
import { budgetOf } from '../forms.ts'
import { partlyStreamed } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { BudgetForm } from '../parts/budget-form.tsx'
import { Field } from '../parts/fields.tsx'
import { Figure } from '../parts/figure.tsx'
import { type Listed, Pager, pagingOf, Table } from '../parts/lists.tsx'
import { Empty, Page, Show, Status } from '../parts/parts.tsx'
import type { Sorts } from '../sorting.ts'

export type Answer = { readonly data: Budget }

export const refresh = { everyMs: 5_000, ...partlyStreamed('budgets') }

export function Budgets({ query }: { query: string }) {
  const { isFirst, parameter, pagerProps } = pagingOf(query)
  const found = useLoaded<Listed<Budget>>(`/api/budget?limit=20${parameter}`, refresh)
  return (
    <Page title="Agents & budgets">
      <Show from={found}>
        {({ data, nextCursor }) =>
          data.length === 0 && isFirst ? (
            <Empty title="No agent has a budget yet">
              An agent without a budget may spend any amount. Set a limit below.
            </Empty>
          ) : (
            <>
              <BudgetTable budgets={data} />
              {(!isFirst || nextCursor) && (
                <Pager names={['Back', 'More']} {...pagerProps(nextCursor)} />
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
    <Table
      label="Budgets"
      head={['Agent', 'Status', 'Used', 'Limit', 'Period', 'Ends']}
      rows={budgets}
      sorts={sorts}
    >
      {(one) => (
        <tr key={one.agentId}>
          <td>
            <a className="cut" title={one.agentId} href={pageOf(one.agentId)} dir="auto">
              {one.agentId}
            </a>
          </td>
          <td>
            <Status of={one.active ? 'active' : 'paused'} />
          </td>
          <td className="used">
            <Progress budget={one} /> {usedText(one)}
          </td>
          <td className="number">
            <Figure minor={one.limit} currency={one.currency} />
          </td>
          <td>{one.period}</td>
          <td>{one.periodEnd ? when(one.periodEnd) : 'never'}</td>
        </tr>
      )}
    </Table>
  )
}

const sorts: Sorts<Budget> = {
  Agent: ({ agentId }) => [agentId],
  Status: ({ active }) => [active ? 'active' : 'paused'],
  Used: ({ limit, spent, reserved }) => [(spent + reserved) / (limit || 1)],
  Limit: ({ currency, limit }) => [currency, limit],
  Period: ({ period }) => [period],
  Ends: ({ periodEnd }) => [periodEnd ?? '~'],
}

export function Progress({ budget: { agentId, limit, spent, reserved } }: { budget: Budget }) {
  const label = `Spent and reserved by ${agentId}`
  return <progress max={limit || 1} value={spent + reserved} aria-label={label} />
}

export function usedText({ limit, spent, reserved }: Budget): string {
  const used = spent + reserved
  if (limit === 0) return used > 0 ? 'over' : '0 %'
  return `${Math.floor((used / limit) * 100)} %`
}

/** An existing budget is changed on its own page. */
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
          {existing.agentId} already has a budget: {money(existing.limit, existing.currency)},{' '}
          {existing.period}. <a href={pageOf(existing.agentId)}>Change it</a>
        </p>
      )}
    </BudgetForm>
  )
}

function noneIfUnknown(refusal: Refusal): null {
  if (refusal.status === 404) return null
  throw refusal
}

export function pageOf(agentId: string): string {
  return `#/budgets/${encodeURIComponent(agentId)}`
}

export function pathOf(agentId: string): string {
  return `/api/budget/${encodeURIComponent(agentId)}`
}
