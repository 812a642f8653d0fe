import { useEffect, useState } from 'react'
import type { Qr } from '../../documents/pdf/qr.ts'
import { english } from '../../documents/words/english.ts'
import { evmPayment } from '../../domain/invoices/payer-transaction.ts'
import { fromDecimal, usdcScale } from '../../domain/money/money.ts'
import { addressKey } from '../../domain/network.ts'
import { atField, call, type Refusal } from '../api.ts'
import { short } from '../format.ts'
import { useKept } from '../hooks/use-kept.ts'
import type { CreditNote, Refund } from '../pages/credit-notes.tsx'
import type { Full } from '../pages/invoice.tsx'
import { Receipt } from '../pages/receipt.tsx'
import { chainName, PaymentLink } from './chain-links.tsx'
import { Field, Form } from './fields.tsx'
import { Card, Status } from './parts.tsx'
import { CopyLine, QrCode, Sent } from './transfer.tsx'
import { WalletButtons } from './wallet-buttons.tsx'

type Props = { note: CreditNote; invoice: Full; onChanged(): void }

/** What is to be given back, to whom, and what proves that it was. */
export function Refunds({ note, invoice, onChanged }: Props) {
  const { refunds, kind } = note
  const receipts = refunds.flatMap(({ receiptId }) => receiptId ?? [])
  const isAwaited = refunds.some(({ status }) => status === 'open')
  return (
    <>
      <div className="cards">
        {refunds.map((refund) => (
          <Card key={refund.payer} title={`Refund of ${english.amount(refund.amount, 'USDC')}`}>
            <OneRefund {...{ refund, note, invoice }} />
          </Card>
        ))}
      </div>
      {isAwaited && kind !== 'purchase' && <Proof id={note.id} onChanged={onChanged} />}
      {receipts.map((id) => (
        <Receipt key={id} id={id} />
      ))}
    </>
  )
}

type OneProps = { refund: Refund; note: CreditNote; invoice: Full }

function OneRefund({ refund, note, invoice }: OneProps) {
  const { to, chain, status, txHash } = refund
  return (
    <>
      <p>
        <Status of={status} text={status === 'open' ? 'to be paid' : status} /> to{' '}
        {to === null ? 'nobody yet' : <code title={to}>{short(to)}</code>} on {chainName(chain)}
      </p>
      {status === 'withheld' && (
        <p>The payment that it gives back was taken back by the chain. Send nothing.</p>
      )}
      {txHash && (
        <p className="quiet">
          Transaction <PaymentLink chain={chain} txHash={txHash} />
        </p>
      )}
      {status !== 'open' ? null : note.kind === 'purchase' ? (
        <p>The seller sends it back to the wallet that paid. It is recorded once it has come.</p>
      ) : to === null ? (
        <p>It was minted, so it has no payer. Name an address by the API: …/refund-address.</p>
      ) : (
        <HowToRefund {...{ refund, note, invoice, to }} />
      )}
    </>
  )
}

function HowToRefund({ refund, note, to, invoice: { paymentDetails } }: OneProps & { to: string }) {
  const { chain, amount, payer, paymentUri } = refund
  const { paymentAddress, usdcAddress } = paymentDetails
  const [sent, setSent] = useKept<{ txHash: string | null }>(`refund ${note.id} ${payer}`)
  const qr = useQr(paymentUri)
  const text = english.amount(amount, 'USDC')
  if (sent) return <Sent chain={chain} txHash={sent.txHash} onAgain={() => setSent(null)} />
  async function prepare(account: string) {
    if (addressKey(account) !== addressKey(paymentAddress))
      throw new Error(`Refunds come from the wallet that was paid. Choose ${paymentAddress} in it.`)
    const dueUsdcBase = fromDecimal(amount, usdcScale)
    return evmPayment(chain, { payTo: to, usdcAddress, dueUsdcBase, reference: '0x' })
  }
  return (
    <>
      <p>Send exactly this much in one transfer, from the wallet that was paid.</p>
      {chain !== 'solana' && (
        <WalletButtons
          chain={chain}
          textFor={(wallet) => `Refund ${text} with ${wallet}`}
          prepare={prepare}
          onSent={(txHash) => setSent({ txHash })}
          whyNot={({ message }) => message}
        />
      )}
      <div className="transfer">
        {paymentUri && (
          <div>
            {qr && <QrCode qr={qr} />}
            <a className="button" href={paymentUri}>
              Open in a wallet
            </a>
          </div>
        )}
        <div>
          <CopyLine name="To" text={to} copy="Copy address" />
          <CopyLine name="Amount" text={amount} copy="Copy amount" />
          <CopyLine name="From" text={paymentAddress} copy="Copy the paid address" />
        </div>
      </div>
    </>
  )
}

/** Drawn here, by a script that payers need not load. */
function useQr(text: string | null): Qr | null {
  const [qr, setQr] = useState<Qr | null>(null)
  useEffect(() => {
    setQr(null)
    // Not essential: the link and the address are beside it.
    if (text)
      void import('../../documents/pdf/qr.ts').then(
        ({ qrOf }) => setQr(qrOf(text)),
        () => {},
      )
  }, [text])
  return qr
}

type ProofProps = { id: string; onChanged(): void }

/** For what the watcher does not find by itself. */
function Proof({ id, onChanged }: ProofProps) {
  const [isPending, setPending] = useState(false)
  async function prove(fields: FormData) {
    const txHash = `${fields.get('txHash')}`.trim()
    const path = `/api/credit-notes/${id}/refund`
    const { status } = await call<{ status: string }>('POST', path, { txHash }).catch((error) => {
      throw (error as Refusal).code === 'REFUND_NOT_PROVEN' ? atField('txHash', error) : error
    })
    setPending(status === 'pending')
    onChanged()
  }
  return (
    <Form title="Name its transaction" button="Check" onSubmit={prove}>
      <p className="quiet">A refund is recognised by itself. If it is not, name its transaction.</p>
      <Field label="Transaction hash" name="txHash" required maxLength={128} />
      {isPending && <p role="status">Found. It counts once it is final on the chain.</p>}
    </Form>
  )
}
