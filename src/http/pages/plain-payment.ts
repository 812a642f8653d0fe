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
import { knownFacts } from '../../documents/texts.ts'
import type { Words } from '../../documents/words/words.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { registry } from '../../domain/registry.ts'

/** The payment page as HTML, for browsers that run no script and for programs that read pages. */
export function plainPayment(payable: Payable, words: Words): string {
  const { say, amount } = words
  const { amountDue, amountAsked, amountReceived, qr } = payable
  const isAsked = payable.takesPayment && payable.accepting
  const facts = knownFacts([
    [say('invoice'), payable.invoiceNumber],
    [say('status'), statusTextOf(payable, words)],
    [say('network'), registry[payable.chain].label],
    [say('amountDue'), amount(amountDue, 'USDC')],
    [say('received'), amount(amountReceived, 'USDC')],
    [say('address'), isAsked ? payable.paymentAddress : null],
    [say('reference'), isAsked ? payable.reference : null],
    [say('paymentLink'), payable.paymentUri],
    [say('transaction'), payable.txHash],
    ...termsOf(payable, words).map(({ label, value }) => [label, value] as const),
  ])
  const rows = facts.map(
    ({ label, value }) =>
      `<div><dt>${label}</dt><dd class="long lines">${Bun.escapeHTML(value)}</dd></div>`,
  )
  const code =
    qr &&
    `<svg class="qr" viewBox="0 0 ${qr.side} ${qr.side}" role="img" aria-label="${say('qrCode')}"><path d="${qr.path}"/></svg>`
  const links = [receiptLinkOf(payable, words), pdfLinkOf(payable, words)]
    .flatMap((link) => (link ? [`<a href="${link.href}">${link.label}</a>`] : []))
    .join(' · ')
  const again = isFinal(payable) ? null : say('reload')
  return `<main class="alone"><article class="card pay">
${logoOf(payable)}
<h1 class="long">${amount(amountAsked ?? amountDue, 'USDC')}</h1>
${remarksOf(payable, words).map(quiet).join('')}
${quiet(hintOf(payable, words))}
${quiet(tokenWarningOf(payable, words))}
${code ?? ''}
<dl>${rows.join('')}</dl>
<p>${links}</p>
${quiet(again)}
</article></main>`
}

export function logoOf({ sellerLogo, sellerName }: Payable): string {
  if (sellerLogo === null) return ''
  return `<img class="logo" src="${sellerLogo}" alt="${Bun.escapeHTML(sellerName ?? '')}">`
}

function quiet(text: string | null): string {
  return text === null ? '' : `<p class="quiet">${Bun.escapeHTML(text)}</p>`
}
