import { useEffect, useState } from 'react'
import {
  hintOf,
  isFinal,
  pdfLinkOf,
  receiptLinkOf,
  remarksOf,
  statusTextOf,
  termsOf,
  tokenWarningOf,
} from '../../documents/payer-texts.ts'
import type { Line as TextLine } from '../../documents/texts.ts'
import type { Words } from '../../documents/words/words.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { Refusal } from '../api.ts'
import { type Loaded, useLoaded } from '../hooks/use-loaded.ts'
import { useWords } from '../hooks/words.ts'
import { chainName, PaymentLink } from '../parts/chain-links.tsx'
import { Copy, Fact, Prose, Show, useTitle } from '../parts/parts.tsx'
import { WalletButtons } from '../parts/wallet-buttons.tsx'

export function PayPage({ id }: { id: string }) {
  const words = useWords()
  const found = useLoaded<Payable>(`/pay/${id}/status`, {
    everyMs: 3_000,
    mostMs: 10_000,
    isFinal,
  })
  return (
    <main className="alone">
      <Show from={inWords(found, words)}>
        {(invoice) => <Sheet id={id} invoice={invoice} reload={found.reload} />}
      </Show>
    </main>
  )
}

/** The service refuses in English. */
function inWords(found: Loaded<Payable>, { say }: Words): Loaded<Payable> {
  const { error } = found
  if (error === null) return found
  const { status, waitMs } = error
  return {
    ...found,
    error: new Refusal(say(refusalKeys[status] ?? 'cannotBeShown'), status, waitMs),
  }
}

const refusalKeys: Readonly<Partial<Record<number, 'unreachable' | 'noSuchInvoice' | 'tooMany'>>> =
  { 0: 'unreachable', 404: 'noSuchInvoice', 429: 'tooMany' }

function Sheet({ id, invoice, reload }: { id: string; invoice: Payable; reload(): void }) {
  const words = useWords()
  const { say, amount } = words
  const { status, isExpired, isHeld, takesPayment } = invoice
  const { sellerName, amountReceived, amountRemaining, amountAsked } = invoice
  const isPartlyPaid =
    Number(amountReceived) > 0 && amountRemaining !== null && amountAsked === amountRemaining
  const isAwaited = takesPayment && !isExpired && !isHeld
  const [sending, setSent] = useSending(id)
  // Once something has arrived, the page shows what the service knows.
  const sent = isAwaited && sending?.amountReceived === amountReceived ? sending : null
  const pdf = pdfLinkOf(invoice, words)
  const asked = amount(amountAsked ?? invoice.amountDue, 'USDC')
  useTitle(`${asked}, ${invoice.invoiceNumber}`)
  return (
    <article className="card pay">
      {invoice.sellerLogo && (
        <img className="logo" src={invoice.sellerLogo} alt={invoice.sellerName ?? ''} />
      )}
      <p className="quiet">{invoice.invoiceNumber}</p>
      <h1 className="long">{asked}</h1>
      {isPartlyPaid && (
        <p>
          {say('partReceived', {
            received: amount(amountReceived, 'USDC'),
            due: amount(invoice.amountDue, 'USDC'),
          })}
        </p>
      )}
      <p className="long">
        {sellerName && <bdi>{say('toSeller', { seller: sellerName })} </bdi>}
        {say('onChain', { chain: chainName(invoice.chain) })}
      </p>
      <p className={`state state-${status}`} role="status">
        {sent ? say('sent') : statusTextOf(invoice, words)}
      </p>
      {remarksOf(invoice, words).map((remark) => (
        <p key={remark}>{remark}</p>
      ))}
      {isAwaited && invoice.dueAt && <Countdown dueAt={invoice.dueAt} />}
      {sent ? (
        <Sent chain={invoice.chain} txHash={sent.txHash} onAgain={() => setSent(null)} />
      ) : (
        <HowToPay
          id={id}
          invoice={invoice}
          onSent={(txHash) => {
            setSent({ txHash, amountReceived })
            reload()
          }}
        />
      )}
      <Paid invoice={invoice} />
      <Terms invoice={invoice} />
      <p>
        <a href={pdf.href}>{pdf.label}</a>
      </p>
    </article>
  )
}

/** A payment that a wallet has sent, and what had been received before. */
type Sending = { readonly txHash: string | null; readonly amountReceived: string }

/** Kept while the tab is open: who reloads the page must not be asked to pay again. */
function useSending(id: string): [Sending | null, (sending: Sending | null) => void] {
  const name = `sent ${id}`
  const [sending, setSending] = useState<Sending | null>(() =>
    JSON.parse(sessionStorage.getItem(name) ?? 'null'),
  )
  function keep(next: Sending | null) {
    if (next) sessionStorage.setItem(name, JSON.stringify(next))
    else sessionStorage.removeItem(name)
    setSending(next)
  }
  return [sending, keep]
}

function Sent(props: { chain: string; txHash: string | null; onAgain(): void }) {
  const { chain, txHash, onAgain } = props
  const { say } = useWords()
  return (
    <>
      <p>{say('sentHint')}</p>
      {txHash && (
        <p className="quiet">
          {say('transaction')} <PaymentLink chain={chain} txHash={txHash} />
        </p>
      )}
      <p>
        <button type="button" onClick={onAgain}>
          {say('payAgain')}
        </button>
      </p>
    </>
  )
}

function Terms({ invoice }: { invoice: Payable }) {
  const terms = termsOf(invoice, useWords())
  if (terms.length === 0) return null
  return (
    <dl>
      {terms.map(({ label, lines }) => (
        <Fact key={label} name={label}>
          {lines.map((line) => (
            <TermLine key={line.text} line={line} />
          ))}
        </Fact>
      ))}
    </dl>
  )
}

function TermLine({ line: { text, href, isCode } }: { line: TextLine }) {
  if (isCode) return <code>{text}</code>
  if (!href) return <Prose text={text} />
  return (
    <a href={href} rel="noreferrer">
      {text}
    </a>
  )
}

type HowToPayProps = { id: string; invoice: Payable; onSent(txHash: string | null): void }

function HowToPay({ id, invoice, onSent }: HowToPayProps) {
  const words = useWords()
  const { say } = words
  const { takesPayment, accepting, isHeld, paymentUri, amountAsked } = invoice
  if (!takesPayment || !amountAsked) return null
  const hint = hintOf(invoice, words)
  if (!accepting) return <p>{hint}</p>
  const warning = tokenWarningOf(invoice, words)
  return (
    <>
      {isHeld && <p>{hint}</p>}
      <WalletButtons id={id} invoice={invoice} onSent={onSent} />
      {!isHeld && hint && <p className="quiet">{hint}</p>}
      {warning && <p className="quiet">{warning}</p>}
      <WalletLink id={id} invoice={invoice} />
      <Line name={say('address')} text={invoice.paymentAddress} copy={say('copyAddress')} />
      <Line name={say('amount')} text={amountAsked} copy={say('copyAmount')} />
      {invoice.needsReference && (
        <Line name={say('reference')} text={invoice.reference} copy={say('copyReference')} />
      )}
      {paymentUri && (
        <Line name={say('paymentLink')} text={paymentUri} copy={say('copyPaymentLink')} isCut />
      )}
    </>
  )
}

function WalletLink({ id, invoice }: { id: string; invoice: Payable }) {
  const { say } = useWords()
  const { paymentUri, qr, chain } = invoice
  if (!paymentUri || !qr) return null
  // Wallets on phones ask the service for the transaction, which they do by https only.
  const isRequest = chain === 'solana' && location.protocol === 'https:'
  const request = `solana:${encodeURIComponent(`${location.origin}/pay/${id}/transaction`)}`
  return (
    <>
      <svg
        className="qr"
        viewBox={`0 0 ${qr.side} ${qr.side}`}
        role="img"
        aria-label={say('qrCode')}
      >
        <path d={qr.path} />
      </svg>
      <p>
        <a className="button primary" href={isRequest ? request : paymentUri}>
          {say('openInWallet')}
        </a>
      </p>
    </>
  )
}

function Paid({ invoice }: { invoice: Payable }) {
  const words = useWords()
  const { txHash } = invoice
  const receipt = receiptLinkOf(invoice, words)
  return (
    <>
      {txHash && (
        <p className="quiet">
          {words.say('transaction')} <PaymentLink chain={invoice.chain} txHash={txHash} />
        </p>
      )}
      {receipt && (
        <p>
          <a className="button primary" href={receipt.href}>
            {receipt.label}
          </a>
        </p>
      )}
    </>
  )
}

type LineProps = { name: string; text: string; copy: string; isCut?: true }

function Line({ name, text, copy, isCut }: LineProps) {
  return (
    <div className="copy-line">
      <p>
        <span className="quiet">{name}</span>
        <code className={isCut ? 'cut' : 'long'}>{text}</code>
      </p>
      <Copy text={text} label={copy} />
    </div>
  )
}

function Countdown({ dueAt }: { dueAt: string }) {
  const { say, duration } = useWords()
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((Date.parse(dueAt) - now) / 1_000))
  if (seconds === 0) return <p>{say('dueDatePassed')}</p>
  return (
    <p className="number" role="timer">
      {say('dueIn', { time: duration(seconds) })}
    </p>
  )
}
