import { useEffect, useState } from 'react'
import type { Payable } from '../domain/payable.ts'
import { useLoaded } from './api.ts'
import { chainName, PaymentLink } from './chain-links.tsx'
import { grouped } from './format.ts'
import { Copy, Show, useTitle } from './parts.tsx'

/** The payment page of an invoice, for anybody with the link, before and after payment. */
export function Payment({ id }: { id: string }) {
  const found = useLoaded<Payable>(`/pay/${id}/status`, { everyMs: 3_000, mostMs: 10_000, isLast })
  return (
    <main className="alone">
      {found.error?.status === 404 ? (
        <Nothing />
      ) : (
        <Show from={found}>{(invoice) => <Sheet invoice={invoice} />}</Show>
      )}
    </main>
  )
}

/**
 * Whether the page is final: the invoice is anchored, or no longer payable. A settled invoice still
 * awaits its anchor, and an expired one may still be paid.
 */
function isLast({ status, paymentUri }: Payable): boolean {
  return status === 'completed' || (status === 'failed' && paymentUri === null)
}

function Nothing() {
  useTitle('No such invoice')
  return (
    <article className="card pay">
      <h1>No such invoice</h1>
      <p>Perhaps the link is not whole. Whoever sent it to you has the right one.</p>
    </article>
  )
}

const words: Readonly<Record<string, string>> = {
  draft: 'Waiting for payment',
  sent: 'Waiting for payment',
  paid: 'Payment seen, being confirmed',
  settled: 'Paid',
  completed: 'Paid',
  failed: 'This invoice is no longer payable',
}

function Sheet({ invoice }: { invoice: Payable }) {
  const { status, isExpired, amountReceived, amountRemaining } = invoice
  const isPart = Number(amountReceived) > 0 && amountRemaining !== null
  const asked = grouped(amountRemaining ?? invoice.amountDue)
  useTitle(`${asked} USDC, ${invoice.invoiceNumber}`)
  return (
    <article className="card pay">
      <p className="quiet">{invoice.invoiceNumber}</p>
      <h1 className="long">{asked} USDC</h1>
      {isPart && (
        <p>
          left of {grouped(invoice.amountDue)} USDC: {grouped(amountReceived)} USDC received
        </p>
      )}
      <p>
        on <strong>{chainName(invoice.chain)}</strong>
      </p>
      {invoice.description && <p className="long">{invoice.description}</p>}
      <p className={`state state-${status}`} role="status">
        {isExpired ? 'The due date has passed' : words[status]}
      </p>
      {isExpired && <p>It can still be paid, and will be marked as late.</p>}
      {!isExpired && invoice.paymentUri && invoice.dueAt && <Countdown dueAt={invoice.dueAt} />}
      <HowToPay invoice={invoice} isPart={isPart} />
      <Paid invoice={invoice} />
    </article>
  )
}

function HowToPay({ invoice, isPart }: { invoice: Payable; isPart: boolean }) {
  const { paymentUri, qr, amountRemaining } = invoice
  if (!paymentUri || !qr || !amountRemaining) return null
  return (
    <>
      <svg
        className="qr"
        viewBox={`0 0 ${qr.side} ${qr.side}`}
        role="img"
        aria-label="Payment link as a QR code"
      >
        <path d={qr.path} />
      </svg>
      <p>
        <a className="button primary" href={paymentUri}>
          Open in a wallet
        </a>
      </p>
      {!invoice.hasOwnAddress && <p className="quiet">{hintOf(invoice, isPart)}</p>}
      <Line name="Address" text={invoice.paymentAddress} />
      <Line name="Amount" text={amountRemaining} />
      {isPart && !invoice.hasOwnAddress && <Line name="Reference" text={invoice.reference} />}
      <Line name="Payment link" text={paymentUri} isCut />
    </>
  )
}

/** How the payment is recognised at an address that is shared with other invoices. */
function hintOf({ chain }: Payable, isPart: boolean): string {
  if (!isPart) return 'Send exactly this amount: that is how the payment is recognised.'
  return chain === 'solana'
    ? 'Use the QR code or the payment link: their reference is how the rest is recognised.'
    : 'The rest is recognised by the reference below. If your wallet cannot attach it, ask whoever sent you the invoice before you pay.'
}

function Paid({ invoice }: { invoice: Payable }) {
  const { overpaidAmount, txHash, receiptId } = invoice
  return (
    <>
      {overpaidAmount && (
        <p>
          {grouped(invoice.amountReceived)} USDC received, {grouped(overpaidAmount)} more than due
        </p>
      )}
      {invoice.isLate && <p>Paid after the due date</p>}
      {txHash && (
        <p className="quiet">
          Transaction <PaymentLink chain={invoice.chain} txHash={txHash} />
        </p>
      )}
      {receiptId && (
        <p>
          <a className="button primary" href={`/v1/public/receipts/${receiptId}/bundle`}>
            Receipt
          </a>
        </p>
      )}
    </>
  )
}

function Line({ name, text, isCut }: { name: string; text: string; isCut?: true }) {
  return (
    <div className="copy-line">
      <p>
        <span className="quiet">{name}</span>
        <code className={isCut ? 'cut' : 'long'}>{text}</code>
      </p>
      <Copy text={text} label={`Copy ${name.toLowerCase()}`} />
    </div>
  )
}

function Countdown({ dueAt }: { dueAt: string }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((Date.parse(dueAt) - now) / 1_000))
  if (seconds === 0) return <p>The due date has passed</p>
  const days = Math.floor(seconds / 86_400)
  const clock = new Date((seconds % 86_400) * 1_000).toISOString().slice(11, 19)
  return (
    <p className="number" role="timer">
      Due in {days > 0 && `${days} d `}
      {clock}
    </p>
  )
}
