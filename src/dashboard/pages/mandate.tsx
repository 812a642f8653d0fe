import { type Warning, warningsOf } from '../../domain/mandates/cap.ts'
import { headline, when } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { AnchorLink } from '../parts/chain-links.tsx'
import { Card, CodeFact, Fact, Json, Page, Show, Status } from '../parts/parts.tsx'
import { type Row, refresh } from './mandates.tsx'
import { Receipt } from './receipt.tsx'

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

export function Mandate({ id }: { id: string }) {
  const found = useLoaded<Full>(`/v1/mandates/${id}`, refresh)
  return (
    <Page title={headline(found.data?.data.scope ?? 'Mandate')} above={['#/mandates', 'Mandates']}>
      <Show from={found}>
        {({ data }) => (
          <>
            <div className="columns">
              <Agreement mandate={data} />
              <Timeline steps={data.transitions} />
            </div>
            {data.drs_receipt_id && (
              <Receipt key={`${data.drs_receipt_id} ${data.state}`} id={data.drs_receipt_id} />
            )}
            <Terms terms={data.terms} />
            {data.context && (
              <Card title="Context">
                <Json of={data.context} />
              </Card>
            )}
          </>
        )}
      </Show>
    </Page>
  )
}

function Agreement({ mandate }: { mandate: Whole }) {
  const { id, protocol_mandate_hash: hash } = mandate
  return (
    <Card title="Agreement">
      <dl>
        <Fact name="Status">
          <Status of={mandate.state} />
        </Fact>
        <Fact name="Scope">{mandate.scope}</Fact>
        <Fact name="Proposer">
          {mandate.proposer_agent_id}
          <Signed at={mandate.signed_by_proposer_at} />
        </Fact>
        <Fact name="Counterparty">
          {mandate.counterparty_agent_id}
          <Signed at={mandate.signed_by_counterparty_at} />
        </Fact>
        <Fact name="Expires">{when(mandate.expires_at)}</Fact>
        <CodeFact name="Id" text={id} copy="Copy mandate id" />
        <CodeFact name="Hash" text={hash} copy="Copy mandate hash" />
        {mandate.dispute_reason && <Fact name="Dispute">{mandate.dispute_reason}</Fact>}
      </dl>
    </Card>
  )
}

function Timeline({ steps }: { steps: readonly Transition[] }) {
  return (
    <Card title="Timeline">
      <ol className="timeline">
        {steps.map((step) => (
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
  )
}

function Terms({ terms }: Pick<Whole, 'terms'>) {
  return (
    <Card title="Terms">
      {warningsOf(JSON.stringify(terms)).map((code) => (
        <p key={code}>{warningTexts[code]}</p>
      ))}
      <Json of={terms} />
    </Card>
  )
}

const warningTexts: Readonly<Record<Warning, string>> = {
  amount_unreadable:
    'The amount cannot be read. If the terms name a currency, nothing can be paid under this mandate.',
  amount_without_currency: 'The amount has no currency, so it limits nothing.',
  currency_unknown: 'The currency is unknown, so nothing can be paid under this mandate.',
}

function Signed({ at }: { at: string | null }) {
  return <p className="quiet">{at ? `signed ${when(at)}` : 'not signed'}</p>
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
