import { remarksOf, termsOf } from '../../documents/payer-texts.ts'
import { type Fact, knownFacts } from '../../documents/texts.ts'
import type { Words } from '../../documents/words/words.ts'
import { confirmedPayments } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import type { Anchor, Issued } from '../../domain/receipts/receipt.ts'
import { registry } from '../../domain/registry.ts'
import type { Answer } from '../operation.ts'
import { plainPage } from './page.ts'
import { logoOf } from './plain-payment.ts'

/** The receipt of a settled invoice, for people to read, print and check. */
export function receiptPage(
  payable: Payable,
  invoice: Invoice,
  receipt: Issued,
  words: Words,
): Promise<Answer> {
  const { say, amount, day } = words
  const { invoiceNumber, amountReceived, id } = payable
  const title = say('receiptFor', { invoice: invoiceNumber })
  const { revokedAt } = receipt
  const remarks = [
    ...(revokedAt ? [say('revokedOn', { day: day(revokedAt) })] : []),
    ...remarksOf(payable, words),
  ]
  const body = `<main class="alone"><article class="card pay receipt">
${logoOf(payable)}
<p class="quiet">${title}</p>
<h1 class="long">${amount(amountReceived, 'USDC')}</h1>
<p class="state ${revokedAt ? 'state-failed' : 'state-settled'}">${say(revokedAt ? 'revoked' : 'paid')}</p>
${remarks.map((remark) => `<p>${Bun.escapeHTML(remark)}</p>`).join('')}
${listOf(factsOf(payable, invoice, receipt, words))}
<p><a class="button primary" href="/pay/${id}/invoice.pdf" download>${say('invoiceAsPdf')}</a></p>
<p class="quiet print-hint">${say('keepReceipt')}</p>
<section class="steps">
<h2>${say('howToCheck')}</h2>
<ol>${stepsOf(payable, receipt, words)
    .map((step) => `<li class="long">${step}</li>`)
    .join('')}</ol>
</section>
</article></main>`
  return plainPage(words, `${title} · Quittance`, body, null)
}

function factsOf(payable: Payable, invoice: Invoice, receipt: Issued, words: Words) {
  const { say, usdc, moment } = words
  const { settlement } = invoice.progress
  const { explorer, label } = registry[payable.chain]
  const transfers = confirmedPayments(invoice).map(({ txHash, usdcBase, blockNumber }) => ({
    label: say('transaction'),
    value: `${usdc(usdcBase)}, ${say('blockNumber', { block: blockNumber })}\n${txHash}`,
    href: explorer + txHash,
  }))
  const { anchor } = receipt
  return [
    ...termsOf(payable, words),
    ...knownFacts([
      [say('confirmed'), settlement && moment(settlement.settledAt)],
      [say('network'), label],
      [say('from'), settlement?.from],
      [say('to'), payable.paymentAddress],
    ]),
    ...transfers,
    ...knownFacts([
      [say('receiptNumber'), receipt.receiptId],
      [say('fingerprint'), receipt.hash],
      [say('anchor'), anchor ? anchorText(anchor, words) : say('notAnchored')],
    ]),
  ]
}

function anchorText({ chainId, contract, txHash, blockNumber }: Anchor, { say }: Words): string {
  const block = say('blockNumber', { block: blockNumber })
  return `${chainName(chainId)}, ${block}\n${say('contract', { contract })}\n${txHash}`
}

function chainName(chainId: number): string {
  const known = Object.values(registry).find((chain) => chain.chainId === chainId)
  return known?.label ?? `eip155:${chainId}`
}

/** What a person does to believe the receipt without believing us. */
function stepsOf(payable: Payable, receipt: Issued, { say, amount }: Words): readonly string[] {
  const { receiptId, anchor } = receipt
  const transfer = say('checkTransfer', {
    amount: amount(payable.amountReceived, 'USDC'),
    token: payable.usdcAddress,
    address: payable.paymentAddress,
  })
  const bundle = `<a href="/v1/public/receipts/${receiptId}/bundle" download="${receiptId}.json">${say('proof')}</a>`
  return [
    transfer,
    `${bundle}: ${say('checkFingerprint')}`,
    ...(anchor ? [say('checkAnchor', { contract: anchor.contract })] : []),
    `${say('checkByProgram')} <code>quittance verify-receipt ${receiptId}.json --rpc …</code>`,
  ]
}

function listOf(facts: readonly (Fact & { readonly href?: string })[]): string {
  const rows = facts.map(({ label, value, href }) => {
    const text = Bun.escapeHTML(value)
    const shown = href ? `<a href="${href}" rel="noreferrer">${text}</a>` : text
    return `<div><dt>${label}</dt><dd class="long lines">${shown}</dd></div>`
  })
  return `<dl>${rows.join('')}</dl>`
}
