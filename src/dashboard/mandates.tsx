import { useLoaded } from './api.ts'
import { short, when } from './format.ts'
import { Card, Empty, Fact, Page, Show, Status, Table } from './parts.tsx'

type Row = {
  readonly id: string
  readonly proposer_agent_id: string
  readonly counterparty_agent_id: string
  readonly scope: string
  readonly state: string
  readonly expires_at: string
  readonly protocol_mandate_hash: string
  readonly dispute_reason: string | null
}
type Transition = {
  readonly id: string
  readonly to_state: string
  readonly created_at: string
  readonly triggered_by: string
  readonly anchor_status: string
  readonly anchor_tx_hash: string | null
  readonly anchor_block_number: number | null
}
type Full = { readonly data: Row & { readonly transitions: readonly Transition[] } }

export function Mandates() {
  const found = useLoaded<{ readonly data: readonly Row[] }>('/v1/mandates?limit=50')
  return (
    <Page title="Mandates">
      <Show from={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No mandates yet: agents propose them through the API.</Empty>
          ) : (
            <Table
              label="Mandates"
              head={['Scope', 'State', 'Proposer', 'Counterparty', 'Expires']}
            >
              {data.map((mandate) => (
                <tr key={mandate.id}>
                  <td>
                    <a href={`#/mandates/${mandate.id}`}>{mandate.scope}</a>
                  </td>
                  <td>
                    <Status of={mandate.state} />
                  </td>
                  <td>{mandate.proposer_agent_id}</td>
                  <td>{mandate.counterparty_agent_id}</td>
                  <td>{when(mandate.expires_at)}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </Show>
    </Page>
  )
}

export function Mandate({ id }: { id: string }) {
  const found = useLoaded<Full>(`/v1/mandates/${id}`, 5_000)
  return (
    <Page title="Mandate">
      <Show from={found}>
        {({ data }) => (
          <div className="cards">
            <Card title="Agreement">
              <dl>
                <Fact name="State">
                  <Status of={data.state} />
                </Fact>
                <Fact name="Scope">{data.scope}</Fact>
                <Fact name="Proposer">{data.proposer_agent_id}</Fact>
                <Fact name="Counterparty">{data.counterparty_agent_id}</Fact>
                <Fact name="Expires">{when(data.expires_at)}</Fact>
                <Fact name="Hash">
                  <code title={data.protocol_mandate_hash}>
                    {short(data.protocol_mandate_hash)}
                  </code>
                </Fact>
                {data.dispute_reason && <Fact name="Dispute">{data.dispute_reason}</Fact>}
              </dl>
            </Card>
            <Card title="Timeline">
              <ol className="timeline">
                {data.transitions.map((step) => (
                  <li key={step.id}>
                    <Status of={step.to_state} />
                    <p>
                      {when(step.created_at)} · {step.triggered_by}
                    </p>
                    <p className="quiet">{anchorText(step)}</p>
                  </li>
                ))}
              </ol>
            </Card>
          </div>
        )}
      </Show>
    </Page>
  )
}

function anchorText({ anchor_status, anchor_tx_hash, anchor_block_number }: Transition): string {
  if (anchor_status === 'none') return 'Not anchored'
  if (anchor_status !== 'anchored' || !anchor_tx_hash) return `Anchor ${anchor_status}`
  return `Anchored in block ${anchor_block_number}, ${short(anchor_tx_hash)}`
}
