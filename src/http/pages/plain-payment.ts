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
import { code, knownTerms } from '../../documents/texts.ts'
import type { Words } from '../../documents/words/words.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { registry } from '../../domain/registry.ts'
import { listOf } from './terms.ts'

/** The payment page as HTML, for browsers that run no script and for programs that read pages. */
export function plainPayment(payable: Payable, words: Words): string {
  const { say, amount } = words
  const { amountDue, amountAsked, amountReceived, qr } = payable
  const isAsked = payable.takesPayment && payable.accepting
  const facts = knownTerms([
    [say('invoice'), payable.invoiceNumber],
    [say('status'), statusTextOf(payable, words)],
    [say('network'), registry[payable.chain].label],
    [say('amountDue'), amount(amountDue, 'USDC')],
    [say('received'), amount(amountReceived, 'USDC')],
    [say('address'), isAsked ? code(payable.paymentAddress) : null],
    [say('reference'), isAsked ? code(payable.reference) : null],
    [say('paymentLink'), code(payable.paymentUri)],
    [say('transaction'), code(payable.txHash)],
  ])
  const picture =
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
${picture ?? ''}
${listOf([...facts, ...termsOf(payable, words)])}
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
