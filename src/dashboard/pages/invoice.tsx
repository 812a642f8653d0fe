import { useEffect, useRef } from 'react'
import { english } from '../../documents/words/english.ts'
import type { Timeline } from '../../domain/invoices/timeline.ts'
import { fromDecimal, type Rate, usdcScale } from '../../domain/money/money.ts'
import type { HeldPayment } from '../../domain/settlement/transfer-list.ts'
import { call } from '../api.ts'
import { type Invoiced, sharesOf } from '../credit-form.ts'
import { money, short, when } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { ConfirmButton, useAction } from '../parts/actions.tsx'
import { chainName, PaymentLink } from '../parts/chain-links.tsx'
import { LinesTable, TaxFacts } from '../parts/invoice-lines.tsx'
import { Steps, Transfers } from '../parts/invoice-timeline.tsx'
import { Parties, type Sides } from '../parts/parties.tsx'
import { Card, CodeFact, Copy, Fact, LinkButton, Page, Prose, Show } from '../parts/parts.tsx'
import { CreditNotes } from './credit-notes.tsx'
import { InvoiceStatus, type Summary } from './invoices.tsx'
import { Receipt } from './receipt.tsx'

export type Full = Omit<Summary, 'counterparty'> &
  Invoiced & {
    readonly amountCredited?: number
    readonly buyerReference?: string
    readonly description: string | null
    readonly buyer: Sides['buyer']
    readonly seller: Sides['seller']
    readonly agentId: string | null
    readonly dueAt: string | null
    readonly receiptId: string | null
    readonly updatedAt: string
    readonly paymentDetails: {
      readonly chain: string
      readonly paymentAddress: string
      readonly usdcAddress: string
      readonly amountDue: string
      readonly amountReceived: string
      readonly reference: string
      readonly fx: Rate | null
      readonly settledAt?: string
      readonly matchedBy?: string
      readonly overpaidAmount?: string
      readonly late?: true
      readonly held?: readonly HeldPayment[]
    }
  }

export function Invoice({ id }: { id: string }) {
  const found = useLoaded<Full>(`/api/invoices/${id}`, {
    everyMs: 3_000,
    isAbout: (change) => change === null || (change.of === 'invoices' && change.ids.includes(id)),
  })
  return (
    <Page title={found.data?.invoiceNumber ?? 'Invoice'} above={['#/invoices', 'Invoices']}>
      <Show from={found}>{(invoice) => <Detail invoice={invoice} onChanged={found.reload} />}</Show>
    </Page>
  )
}

function Detail({ invoice, onChanged }: { invoice: Full; onChanged: () => void }) {
  const { id, status, currency, receiptId, updatedAt, paymentDetails } = invoice
  const history = useLoaded<Timeline>(`/api/invoices/${id}/timeline`)
  const { reload } = history
  const seen = useRef(updatedAt)
  useEffect(() => {
    if (seen.current === updatedAt) return
    seen.current = updatedAt
    reload()
  }, [updatedAt, reload])
  const transfers = history.data?.transfers ?? []
  return (
    <>
      <p className="headline">
        <strong className="number">{money(invoice.total, currency)}</strong>
        <span aria-live="polite">
          <InvoiceStatus invoice={invoice} />
        </span>
      </p>
      <Actions invoice={invoice} onChanged={onChanged} />
      {paymentDetails.held && <Held held={paymentDetails.held} chain={paymentDetails.chain} />}
      {invoice.lines && (
        <Card title="Lines">
          <LinesTable lines={invoice.lines} currency={currency} />
        </Card>
      )}
      <div className="columns">
        <div>
          <Terms invoice={invoice} />
          <Payment invoice={invoice} />
        </div>
        <div>
          <Card title="Timeline">
            <Show from={history}>
              {(timeline) => <Steps timeline={timeline} chain={paymentDetails.chain} />}
            </Show>
          </Card>
          <Parties invoice={invoice} />
        </div>
      </div>
      {invoice.amountCredited && <CreditNotes key={invoice.amountCredited} invoiceId={id} />}
      {receiptId && (
        <Receipt key={`${receiptId} ${status}`} id={receiptId} page={`/pay/${id}/receipt`} />
      )}
      {transfers.length > 0 && (
        <Card title="Transfers">
          <Transfers transfers={transfers} chain={paymentDetails.chain} />
        </Card>
      )}
    </>
  )
}

function Held({ held, chain }: { held: readonly HeldPayment[]; chain: string }) {
  return (
    <Card title={held.length === 1 ? 'A payment is held' : 'Payments are held'}>
      <p>
        It fits this invoice, but may be for another. Whoever sent it can claim it with a signature
        of the wallet (“Claim a transfer” at <a href="/docs">/docs</a>); an operator can credit it.
      </p>
      <ul>
        {held.map(({ txHash, amount, from, blockTime, why }) => (
          <li key={txHash}>
            {english.amount(amount, 'USDC')}, {why}, {when(blockTime)}
            {from && (
              <>
                , from <code title={from}>{short(from)}</code>
              </>
            )}
            : <PaymentLink chain={chain} txHash={txHash} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Actions({ invoice, onChanged }: { invoice: Full; onChanged: () => void }) {
  const { busy, refusal, run } = useAction()
  const { id, statusDetail } = invoice
  const isPayable = payableDetails.includes(statusDetail) && invoice.kind !== 'purchase'
  const link = new URL(`/pay/${id}`, location.href).href
  const post = (action: string) =>
    run(async () => {
      await call('POST', `/api/invoices/${id}/${action}`)
      onChanged()
    })
  return (
    <>
      <p className="actions">
        {isPayable && <Copy isPrimary text={link} label="Copy payment link" />}
        {statusDetail === 'draft' && (
          <button type="button" disabled={busy} onClick={() => post('send')}>
            Mark as sent
          </button>
        )}
        <LinkButton href={`/api/invoices/${id}/pdf`}>PDF</LinkButton>
        <LinkButton href={`/pay/${id}`}>Payment page</LinkButton>
        {isCreditable(invoice) && <LinkButton href={`#/invoices/${id}/credit`}>Credit…</LinkButton>}
        {isVoidable(invoice) && (
          <ConfirmButton
            text="Void"
            confirmText="Void for good"
            busy={busy}
            onConfirm={() => post('void')}
          />
        )}
      </p>
      {refusal}
    </>
  )
}

const payableDetails = ['draft', 'sent', 'partly_paid', 'expired']

/** An invoice that has received money must not be voided. */
function isVoidable({ status, paymentDetails }: Full): boolean {
  return (status === 'draft' || status === 'sent') && Number(paymentDetails.amountReceived) === 0
}

/** Nothing of a void invoice, nor while a payment is being confirmed, nor of an unpaid purchase. */
function isCreditable({ statusDetail, kind, total, amountCredited = 0 }: Full): boolean {
  const isSettled = statusDetail === 'settled' || statusDetail === 'completed'
  const isOpen = statusDetail !== 'void' && statusDetail !== 'paid' && kind !== 'purchase'
  return (isSettled || isOpen) && amountCredited < total
}

function Terms({ invoice }: { invoice: Full }) {
  const { currency, taxCountry, amountCredited, buyerReference, buyer, seller, kind } = invoice
  return (
    <Card title="Invoice">
      <dl>
        {kind === 'purchase' ? (
          <Fact name="Seller">{seller.name ?? '—'}</Fact>
        ) : (
          <Fact name="Buyer">{buyer.companyName ?? '—'}</Fact>
        )}
        {kind === 'sale' && <Fact name="E-mail">{buyer.email ?? '—'}</Fact>}
        {(invoice.description || !invoice.lines) && (
          <Fact name="Description">
            <Prose text={invoice.description ?? '—'} />
          </Fact>
        )}
        {invoice.agentId && <Fact name="Agent">{invoice.agentId}</Fact>}
        {buyerReference && <Fact name="Buyer’s reference">{buyerReference}</Fact>}
        <TaxFacts of={invoice} shares={sharesOf(invoice)} />
        {taxCountry && <Fact name="Tax country">{english.country(taxCountry)}</Fact>}
        {amountCredited && <Fact name="Credited">{money(amountCredited, currency)}</Fact>}
        <Fact name="Created">{when(invoice.createdAt)}</Fact>
        <Fact name="Due date">{invoice.dueAt ? when(invoice.dueAt) : 'none'}</Fact>
        <CodeFact name="Id" text={invoice.id} copy="Copy id" />
      </dl>
    </Card>
  )
}

function Payment({ invoice: { paymentDetails, currency } }: { invoice: Full }) {
  const { chain, paymentAddress, reference, fx } = paymentDetails
  const { matchedBy, settledAt, overpaidAmount } = paymentDetails
  const receivedUsdcBase = fromDecimal(paymentDetails.amountReceived, usdcScale)
  const outstandingUsdcBase = fromDecimal(paymentDetails.amountDue, usdcScale) - receivedUsdcBase
  const isPartlyPaid = receivedUsdcBase > 0n && outstandingUsdcBase > 0n
  return (
    <Card title="Payment">
      <dl>
        <Fact name="Chain">{chainName(chain)}</Fact>
        <CodeFact name="Address" text={paymentAddress} copy="Copy payment address" />
        <CodeFact name="Reference" text={reference} copy="Copy reference" />
        <Fact name="Amount due">{english.amount(paymentDetails.amountDue, 'USDC')}</Fact>
        {fx && <Fact name="Exchange rate">{english.exchangeRate(fx, currency)}</Fact>}
        <Fact name="Received">
          {english.amount(paymentDetails.amountReceived, 'USDC')}
          {overpaidAmount && `, ${english.amount(overpaidAmount, 'USDC')} more than due`}
        </Fact>
        {isPartlyPaid && <Fact name="Outstanding">{english.usdc(outstandingUsdcBase)}</Fact>}
        {matchedBy && <Fact name="Matched by">{matchedBy}</Fact>}
        {settledAt && (
          <Fact name="Settled">
            {when(settledAt)}
            {paymentDetails.late && ', late'}
          </Fact>
        )}
      </dl>
    </Card>
  )
}
