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
import { call, Refusal } from '../api.ts'
import { useKept } from '../hooks/use-kept.ts'
import { type Loaded, useLoaded } from '../hooks/use-loaded.ts'
import { useWords } from '../hooks/words.ts'
import { chainName, PaymentLink } from '../parts/chain-links.tsx'
import { Fact, Prose, Show, useTitle } from '../parts/parts.tsx'
import { CopyLine, QrCode, Sent } from '../parts/transfer.tsx'
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
  const [sending, setSent] = useKept<Sending>(`sent ${id}`)
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
  const { say, amount } = words
  const { takesPayment, accepting, held, paymentUri, chain, amountAsked } = invoice
  if (!takesPayment || !amountAsked) return null
  const hint = hintOf(invoice, words)
  if (!accepting) return <p>{hint}</p>
  const warning = tokenWarningOf(invoice, words)
  return (
    <>
      {held.length > 0 && (
        <>
          <p>{hint}</p>
          {held.map(({ txHash }) => (
            <p className="quiet" key={txHash}>
              {say('transaction')} <PaymentLink chain={chain} txHash={txHash} />
            </p>
          ))}
        </>
      )}
      <WalletButtons
        chain={chain}
        textFor={(wallet) => say('payWith', { amount: amount(amountAsked, 'USDC'), wallet })}
        prepare={(account) => call('POST', `/pay/${id}/transaction`, { account })}
        onSent={onSent}
      />
      {held.length === 0 && hint && <p className="quiet">{hint}</p>}
      {warning && <p className="quiet">{warning}</p>}
      <WalletLink id={id} invoice={invoice} />
      <CopyLine name={say('address')} text={invoice.paymentAddress} copy={say('copyAddress')} />
      <CopyLine name={say('amount')} text={amountAsked} copy={say('copyAmount')} />
      {invoice.needsReference && (
        <CopyLine name={say('reference')} text={invoice.reference} copy={say('copyReference')} />
      )}
      {paymentUri && (
        <CopyLine name={say('paymentLink')} text={paymentUri} copy={say('copyPaymentLink')} isCut />
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
      <QrCode qr={qr} />
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
