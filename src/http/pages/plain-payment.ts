import {
  hintOf,
  isFinal,
  proofOf,
  remarksOf,
  standingOf,
  termsOf,
} from '../../documents/payer-texts.ts'
import { some } from '../../documents/pdf/facts.ts'
import { amount } from '../../documents/texts.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { registry } from '../../domain/registry.ts'

/** The payment page as HTML, for browsers that run no script and for programs that read pages. */
export function plainPayment(payable: Payable): string {
  const { amountDue, amountAsked, amountReceived, takesPayment, qr } = payable
  const facts = some([
    ['Invoice', payable.invoiceNumber],
    ['Seller', payable.sellerName],
    ['Status', standingOf(payable)],
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
  const proof = proofOf(payable)
  const link = proof && `<p><a href="${proof.href}">${proof.label}</a></p>${quiet(proof.hint)}`
  const again = isFinal(payable) ? null : 'Load this page again to see whether a payment has come.'
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
