import {
  hintOf,
  isFinal,
  receiptLinkOf,
  remarksOf,
  statusTextOf,
  termsOf,
} from '../../documents/payer-texts.ts'
import { amount, knownFacts } from '../../documents/texts.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { registry } from '../../domain/registry.ts'

/** The payment page as HTML, for browsers that run no script and for programs that read pages. */
export function plainPayment(payable: Payable): string {
  const { amountDue, amountAsked, amountReceived, takesPayment, qr } = payable
  const facts = knownFacts([
    ['Invoice', payable.invoiceNumber],
    ['Seller', payable.sellerName],
    ['Status', statusTextOf(payable)],
    ['Chain', registry[payable.chain].label],
    ['Amount due', amount(amountDue, 'USDC')],
    ['Received', amount(amountReceived, 'USDC')],
    ['Address', takesPayment ? payable.paymentAddress : null],
    ['Reference', takesPayment ? payable.reference : null],
    ['Payment link', payable.paymentUri],
    ['Transaction', payable.txHash],
    ...termsOf(payable).map(({ label, value }) => [label, value] as const),
  ])
  const rows = facts.map(
    ({ label, value }) =>
      `<div><dt>${label}</dt><dd class="long lines">${Bun.escapeHTML(value)}</dd></div>`,
  )
  const code =
    qr &&
    `<svg class="qr" viewBox="0 0 ${qr.side} ${qr.side}" role="img" aria-label="Payment link as a QR code"><path d="${qr.path}"/></svg>`
  const receipt = receiptLinkOf(payable)
  const link =
    receipt && `<p><a href="${receipt.href}">${receipt.label}</a></p>${quiet(receipt.hint)}`
  const again = isFinal(payable) ? null : 'Reload this page to see whether a payment has arrived.'
  return `<main class="alone"><article class="card pay">
<h1 class="long">${amount(amountAsked ?? amountDue, 'USDC')}</h1>
${remarksOf(payable).map(quiet).join('')}
${quiet(hintOf(payable))}
${code ?? ''}
<dl>${rows.join('')}</dl>
${link ?? ''}
${quiet(again)}
</article></main>`
}

function quiet(text: string | null): string {
  return text === null ? '' : `<p class="quiet">${Bun.escapeHTML(text)}</p>`
}
