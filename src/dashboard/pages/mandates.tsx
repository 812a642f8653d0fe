import { states } from '../../domain/mandates/states.ts'
import { filtered } from '../address.ts'
import { when } from '../format.ts'
import { partlyStreamed } from '../hooks/live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { type Listed, Pager, pagingOf, Table } from '../parts/lists.tsx'
import { Cut, Empty, LinkButton, Page, Show, Status } from '../parts/parts.tsx'
import type { Sorts } from '../sorting.ts'

export type Row = {
  readonly id: string
  readonly proposer_agent_id: string
  readonly counterparty_agent_id: string
  readonly scope: string
  readonly state: string
  readonly expires_at: string
  readonly protocol_mandate_hash: string
  readonly dispute_reason: string | null
}
type Found = Listed<Row> & { readonly total: number }

export const refresh = { everyMs: 5_000, ...partlyStreamed('mandates') }

export function Mandates({ query }: { query: string }) {
  const state = new URLSearchParams(query).get('status') ?? ''
  const { parameter, pagerProps } = pagingOf(query)
  const show = (wanted: string) => location.replace(filtered(location.hash, 'status', wanted))
  const filter = state && `&status=${encodeURIComponent(state)}`
  const found = useLoaded<Found>(`/v1/mandates?limit=20${parameter}${filter}`, refresh)
  return (
    <Page title="Mandates">
      <label className="field narrow">
        <span>Status</span>
        <select value={state} onChange={(event) => show(event.target.value)}>
          <option value="">All</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {one.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <Show from={found}>
        {({ data, total, nextCursor }) =>
          total === 0 ? (
            <None isFiltered={state !== ''} />
          ) : (
            <>
              <Table
                label="Mandates"
                head={['Scope', 'Status', 'Proposer', 'Counterparty', 'Expires']}
                rows={data}
                sorts={sorts}
              >
                {(mandate) => (
                  <tr key={mandate.id}>
                    <td>
                      <a
                        className="cut"
                        title={mandate.scope}
                        href={`#/mandates/${mandate.id}`}
                        dir="auto"
                      >
                        {mandate.scope}
                      </a>
                    </td>
                    <td>
                      <Status of={mandate.state} />
                    </td>
                    <td>
                      <Cut text={mandate.proposer_agent_id} />
                    </td>
                    <td>
                      <Cut text={mandate.counterparty_agent_id} />
                    </td>
                    <td>{when(mandate.expires_at)}</td>
                  </tr>
                )}
              </Table>
              <Pager {...pagerProps(nextCursor)}>
                <span className="quiet">{total} in total</span>
              </Pager>
            </>
          )
        }
      </Show>
    </Page>
  )
}

const sorts: Sorts<Row> = {
  Scope: ({ scope }) => [scope],
  Status: ({ state }) => [state],
  Proposer: ({ proposer_agent_id }) => [proposer_agent_id],
  Counterparty: ({ counterparty_agent_id }) => [counterparty_agent_id],
  Expires: ({ expires_at }) => [expires_at],
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty
        title="No mandate matches this filter"
        action={<LinkButton href="#/mandates">Show all</LinkButton>}
      />
    )
  return (
    <Empty
      title="No mandates yet"
      action={<LinkButton href="/docs">Read how in the API’s pages</LinkButton>}
    >
      A mandate limits what an agent may agree to and pay. Agents propose and sign them by the API.
    </Empty>
  )
}
