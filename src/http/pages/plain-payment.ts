import type { Payable } from '../../domain/payable.ts'

/** The payment page as HTML, for browsers that run no script and for programs that read pages. */
export function plainPayment(payable: Payable): string {
  const { amountDue, amountRemaining, amountReceived, paymentUri, qr } = payable
  const facts = {
    Invoice: payable.invoiceNumber,
    For: payable.description,
    Status: payable.status,
    Chain: payable.chain,
    'USDC due': amountDue,
    'USDC received': amountReceived,
    Address: paymentUri && payable.paymentAddress,
    Reference: paymentUri && payable.reference,
    'Payment link': paymentUri,
    'Due at': payable.dueAt,
    Transaction: payable.txHash,
  }
  const rows = Object.entries(facts).flatMap(([name, fact]) =>
    fact === null ? [] : `<div><dt>${name}</dt><dd class="long">${Bun.escapeHTML(fact)}</dd></div>`,
  )
  const code =
    qr &&
    `<svg class="qr" viewBox="0 0 ${qr.side} ${qr.side}" role="img" aria-label="Payment link as a QR code"><path d="${qr.path}"/></svg>`
  return `<main class="alone"><article class="card pay">
<h1 class="long">${amountRemaining ?? amountDue} USDC</h1>
${code ?? ''}
<dl>${rows.join('')}</dl>
<p class="quiet">Load this page again to see whether a payment has come.</p>
</article></main>`
}
