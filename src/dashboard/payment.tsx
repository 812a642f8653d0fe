import { useEffect, useState } from 'react'
import { useLoaded } from './api.ts'
import { chainName, PaymentLink } from './chain-links.tsx'
import { Copy, Show } from './parts.tsx'

type Payable = {
  readonly invoiceNumber: string
  readonly status: string
  readonly description: string | null
  readonly dueAt: string | null
  readonly chain: string
  readonly paymentAddress: string
  readonly amountDue: string
  readonly amountReceived: string
  readonly paymentUri: string
  readonly qr: { readonly path: string; readonly side: number }
  readonly txHash: string | null
  readonly receiptId: string | null
}

/** What anybody with the link sees of an invoice, until it is paid and after. */
export function Payment({ id }: { id: string }) {
  const found = useLoaded<Payable>(`/pay/${id}/status`, { everyMs: 3_000 })
  return (
    <main className="alone">
      <Show from={found}>{(invoice) => <Sheet invoice={invoice} />}</Show>
    </main>
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
  const { status, qr } = invoice
  const isOpen = status === 'draft' || status === 'sent'
  return (
    <article className="card pay">
      <p className="quiet">{invoice.invoiceNumber}</p>
      <h1 className="number">{invoice.amountDue} USDC</h1>
      <p>
        on <strong>{chainName(invoice.chain)}</strong>
      </p>
      {invoice.description && <p className="long">{invoice.description}</p>}
      <p className={`state state-${status}`} role="status">
        {words[status]}
      </p>
      {isOpen && invoice.dueAt && <Countdown dueAt={invoice.dueAt} />}
      {isOpen && (
        <>
          <svg
            className="qr"
            viewBox={`0 0 ${qr.side} ${qr.side}`}
            role="img"
            aria-label="Payment link as a QR code"
          >
            <path d={qr.path} />
          </svg>
          {hasPart(invoice) && <p>Received so far: {invoice.amountReceived} USDC</p>}
          <p>
            <a className="button primary" href={invoice.paymentUri}>
              Open in a wallet
            </a>
          </p>
          <Line name="Address" text={invoice.paymentAddress} />
          <Line name="Amount" text={invoice.amountDue} />
          <Line name="Payment link" text={invoice.paymentUri} isCut />
        </>
      )}
      {invoice.txHash && (
        <p className="quiet">
          Transaction <PaymentLink chain={invoice.chain} txHash={invoice.txHash} />
        </p>
      )}
      {invoice.receiptId && (
        <p>
          <a className="button primary" href={`/v1/public/receipts/${invoice.receiptId}/bundle`}>
            Receipt
          </a>
        </p>
      )}
    </article>
  )
}

function hasPart({ amountReceived }: Payable): boolean {
  return Number(amountReceived) > 0
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
