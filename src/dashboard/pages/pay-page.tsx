import { useEffect, useState } from 'react'
import {
  hintOf,
  isFinal,
  receiptLinkOf,
  remarksOf,
  statusTextOf,
  termsOf,
} from '../../documents/payer-texts.ts'
import { amount } from '../../documents/texts.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { chainName, PaymentLink } from '../parts/chain-links.tsx'
import { Copy, Fact, Prose, Show, useTitle } from '../parts/parts.tsx'

export function PayPage({ id }: { id: string }) {
  const found = useLoaded<Payable>(`/pay/${id}/status`, {
    everyMs: 3_000,
    mostMs: 10_000,
    isFinal,
  })
  return (
    <main className="alone">
      <Show from={found}>{(invoice) => <Sheet invoice={invoice} />}</Show>
    </main>
  )
}

function Sheet({ invoice }: { invoice: Payable }) {
  const { status, isExpired, isHeld, takesPayment } = invoice
  const { sellerName, amountReceived, amountRemaining, amountAsked } = invoice
  const isPartlyPaid =
    Number(amountReceived) > 0 && amountRemaining !== null && amountAsked === amountRemaining
  const isAwaited = takesPayment && !isExpired && !isHeld
  const asked = amount(amountAsked ?? invoice.amountDue, 'USDC')
  useTitle(`${asked}, ${invoice.invoiceNumber}`)
  return (
    <article className="card pay">
      <p className="quiet">{invoice.invoiceNumber}</p>
      <h1 className="long">{asked}</h1>
      {isPartlyPaid && (
        <p>
          {amount(amountReceived, 'USDC')} of {amount(invoice.amountDue, 'USDC')} already received
        </p>
      )}
      <p className="long">
        {sellerName && (
          <>
            to <strong>{sellerName}</strong>{' '}
          </>
        )}
        on <strong>{chainName(invoice.chain)}</strong>
      </p>
      <p className={`state state-${status}`} role="status">
        {statusTextOf(invoice)}
      </p>
      {remarksOf(invoice).map((remark) => (
        <p key={remark}>{remark}</p>
      ))}
      {isAwaited && invoice.dueAt && <Countdown dueAt={invoice.dueAt} />}
      <HowToPay invoice={invoice} />
      <Paid invoice={invoice} />
      <Terms invoice={invoice} />
    </article>
  )
}

function Terms({ invoice }: { invoice: Payable }) {
  const terms = termsOf(invoice)
  if (terms.length === 0) return null
  return (
    <dl>
      {terms.map(({ label, value }) => (
        <Fact key={label} name={label}>
          <Prose text={value} />
        </Fact>
      ))}
    </dl>
  )
}

function HowToPay({ invoice }: { invoice: Payable }) {
  const { takesPayment, paymentUri, amountAsked } = invoice
  if (!takesPayment || !amountAsked) return null
  const hint = hintOf(invoice)
  return (
    <>
      {hint && <p className={invoice.isHeld ? undefined : 'quiet'}>{hint}</p>}
      <WalletLink invoice={invoice} />
      <Line name="Address" text={invoice.paymentAddress} />
      <Line name="Amount" text={amountAsked} />
      {invoice.needsReference && <Line name="Reference" text={invoice.reference} />}
      {paymentUri && <Line name="Payment link" text={paymentUri} isCut />}
    </>
  )
}

function WalletLink({ invoice: { paymentUri, qr } }: { invoice: Payable }) {
  if (!paymentUri || !qr) return null
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
    </>
  )
}

function Paid({ invoice }: { invoice: Payable }) {
  const { txHash } = invoice
  const receipt = receiptLinkOf(invoice)
  return (
    <>
      {txHash && (
        <p className="quiet">
          Transaction <PaymentLink chain={invoice.chain} txHash={txHash} />
        </p>
      )}
      {receipt && (
        <>
          <p>
            <a className="button" href={receipt.href}>
              {receipt.label}
            </a>
          </p>
          <p className="quiet">{receipt.hint}</p>
        </>
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
