import { type Warning, warningsOf } from '../domain/mandate-cap.ts'
import { filtered } from './address.ts'
import { useLoaded } from './api.ts'
import { AnchorLink } from './chain-links.tsx'
import { headline, short, when } from './format.ts'
import { toldInPart } from './live.ts'
import {
  Card,
  Copy,
  Cut,
  Empty,
  Fact,
  Page,
  Pager,
  placeIn,
  Show,
  Status,
  Table,
} from './parts.tsx'
import { Receipt } from './receipt.tsx'

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
  /** CAIP-2: `eip155:8453`. */
  readonly anchor_chain: string | null
}
type Whole = Row & {
  readonly terms: object
  readonly context: object | null
  readonly signed_by_proposer_at: string | null
  readonly signed_by_counterparty_at: string | null
  readonly drs_receipt_id: string | null
  readonly transitions: readonly Transition[]
}
type Full = { readonly data: Whole }

type Found = {
  readonly data: readonly Row[]
  readonly total: number
  readonly nextCursor: string | null
}

const states = [
  'proposed',
  'signed_by_proposer',
  'signed_by_both',
  'in_progress',
  'completed',
  'disputed',
  'expired',
]
const refresh = { everyMs: 5_000, ...toldInPart('mandates') }

export function Mandates({ query }: { query: string }) {
  const state = new URLSearchParams(query).get('status') ?? ''
  const { parameter, turns } = placeIn(query)
  const show = (wanted: string) => location.replace(filtered(location.hash, 'status', wanted))
  const filter = state && `&status=${encodeURIComponent(state)}`
  const found = useLoaded<Found>(`/v1/mandates?limit=20${parameter}${filter}`, refresh)
  return (
    <Page title="Mandates">
      <label className="field narrow">
        <span>State</span>
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
            <Empty>
              {state ? 'No mandate is like that.' : 'No mandates yet: agents propose them.'}
            </Empty>
          ) : (
            <>
              <Table
                label="Mandates"
                head={['Scope', 'State', 'Proposer', 'Counterparty', 'Expires']}
              >
                {data.map((mandate) => (
                  <tr key={mandate.id}>
                    <td>
                      <a className="cut" title={mandate.scope} href={`#/mandates/${mandate.id}`}>
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
                ))}
              </Table>
              <Pager {...turns(nextCursor)}>
                <span className="quiet">{total} in all</span>
              </Pager>
            </>
          )
        }
      </Show>
    </Page>
  )
}

export function Mandate({ id }: { id: string }) {
  const found = useLoaded<Full>(`/v1/mandates/${id}`, refresh)
  return (
    <Page title={headline(found.data?.data.scope ?? 'Mandate')} above={['#/mandates', 'Mandates']}>
      <Show from={found}>
        {({ data }) => (
          <div className="cards">
            <Card title="Agreement">
              <dl>
                <Fact name="State">
                  <Status of={data.state} />
                </Fact>
                <Fact name="Scope">{data.scope}</Fact>
                <Fact name="Proposer">
                  {data.proposer_agent_id}
                  <Signed at={data.signed_by_proposer_at} />
                </Fact>
                <Fact name="Counterparty">
                  {data.counterparty_agent_id}
                  <Signed at={data.signed_by_counterparty_at} />
                </Fact>
                <Fact name="Expires">{when(data.expires_at)}</Fact>
                <Fact name="Id">
                  <code title={data.id}>{short(data.id)}</code>{' '}
                  <Copy text={data.id} label="Copy mandate id" />
                </Fact>
                <Fact name="Hash">
                  <code title={data.protocol_mandate_hash}>
                    {short(data.protocol_mandate_hash)}
                  </code>{' '}
                  <Copy text={data.protocol_mandate_hash} label="Copy mandate hash" />
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
                    <p className="quiet">
                      <Anchor step={step} />
                    </p>
                  </li>
                ))}
              </ol>
            </Card>
            {data.drs_receipt_id && (
              <Receipt key={`${data.drs_receipt_id} ${data.state}`} id={data.drs_receipt_id} />
            )}
            <Card title="Terms" isWide>
              {warningsOf(JSON.stringify(data.terms)).map((code) => (
                <p key={code}>{objections[code]}</p>
              ))}
              <Json of={data.terms} />
            </Card>
            {data.context && (
              <Card title="Context" isWide>
                <Json of={data.context} />
              </Card>
            )}
          </div>
        )}
      </Show>
    </Page>
  )
}

const objections: Readonly<Record<Warning, string>> = {
  amount_unreadable:
    'The amount cannot be read: if there is a currency, nothing can be paid under this mandate.',
  amount_without_currency: 'The amount has no currency, and so limits nothing.',
  currency_unknown: 'The currency is not known: nothing can be paid under this mandate.',
}

function Signed({ at }: { at: string | null }) {
  return <p className="quiet">{at ? `signed ${when(at)}` : 'not signed'}</p>
}

function Json({ of }: { of: object }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>
  )
}

function Anchor({ step }: { step: Transition }) {
  const { anchor_status, anchor_tx_hash, anchor_block_number, anchor_chain } = step
  if (anchor_status === 'none') return <>Not anchored</>
  if (anchor_status !== 'anchored' || !anchor_tx_hash) return <>Anchor {anchor_status}</>
  return (
    <>
      Anchored in block {anchor_block_number},{' '}
      <AnchorLink chainId={Number(anchor_chain?.split(':')[1])} txHash={anchor_tx_hash} />
    </>
  )
}
