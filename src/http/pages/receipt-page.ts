import { remarksOf, termsOf } from '../../documents/payer-texts.ts'
import { code, knownTerms, type Term } from '../../documents/texts.ts'
import type { Words } from '../../documents/words/words.ts'
import { toHex } from '../../domain/hash.ts'
import { confirmedPayments } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import type { Settlement } from '../../domain/invoices/progress.ts'
import { payerOf } from '../../domain/network.ts'
import type { Issued } from '../../domain/receipts/bundle.ts'
import { registry } from '../../domain/registry.ts'
import { checks } from '../../verify/verify-receipt.ts'
import type { Answer } from '../operation.ts'
import { plainPage, receiptScript } from './page.ts'
import { logoOf } from './plain-payment.ts'
import { listOf } from './terms.ts'

/** What has been settled, and the receipt for it. */
type Settled = {
  readonly payable: Payable
  readonly invoice: Invoice
  readonly settlement: Settlement
  readonly receipt: Issued
  /** The claims that its proof shows, separated by commas; null: all. */
  readonly show: string | null
}

/** The receipt of a settled invoice, for people to read, print and check. */
export async function receiptPage(
  settled: Settled,
  words: Words,
  publicUrl: string,
): Promise<Answer> {
  const { payable, settlement, receipt } = settled
  const { say, amount, day, moment } = words
  const { invoiceNumber, amountReceived, sellerName, id } = payable
  const { revokedAt, receiptId } = receipt
  const title = say('receiptFor', { invoice: invoiceNumber })
  const paid = [
    ...(sellerName ? [say('toSeller', { seller: sellerName })] : []),
    say('paidOnDay', { day: day(settlement.settledAt) }),
  ]
  const remarks = [
    ...(revokedAt ? [say('revokedOn', { day: day(revokedAt) })] : []),
    ...remarksOf(payable, words),
  ]
  const terms = [
    ...termsOf(payable, words, amountReceived),
    ...knownTerms([
      [say('confirmed'), moment(settlement.settledAt)],
      [say('receiptNumber'), code(receiptId)],
    ]),
  ]
  const body = `<main class="alone"><article class="card pay receipt">
${logoOf(payable)}
<p class="quiet">${title}</p>
<h1 class="long">${amount(amountReceived, 'USDC')}</h1>
<p class="long"><bdi>${Bun.escapeHTML(paid.join(', '))}</bdi></p>
<p class="state ${revokedAt ? 'state-failed' : 'state-settled'}">${say(revokedAt ? 'revoked' : 'paid')}</p>
${remarks.map((remark) => `<p>${Bun.escapeHTML(remark)}</p>`).join('')}
${listOf(terms)}
<p class="actions"><a class="button primary" ${toBundle(settled)}>${say('proof')}</a>
<a class="button" href="/pay/${id}/invoice.pdf" download>${say('invoiceAsPdf')}</a></p>
<p class="quiet print-hint">${say('keepReceipt')}</p>
<section>
<h2>${say('details')}</h2>
${listOf(detailsOf(settled, words))}
</section>
${checksOf(settled, words)}
<section class="steps">
<h2>${say('howToCheck')}</h2>
<ol>${stepsOf(settled, words, publicUrl)
    .map((step) => `<li class="long">${step}</li>`)
    .join('')}</ol>
</section>
</article></main>
${await receiptScript()}`
  return plainPage(words, `${title} · Quittance`, body, null)
}

function detailsOf({ payable, invoice, settlement, receipt }: Settled, words: Words) {
  const { say, usdc } = words
  const { explorer, label } = registry[payable.chain]
  const payer = payerOf(settlement.from)
  const transfers = confirmedPayments(invoice).map(({ txHash, usdcBase, blockNumber }) => {
    const text = `${usdc(usdcBase)}, ${say('blockNumber', { block: blockNumber })}`
    return [say('transaction'), [{ text }, ...code(txHash, explorer + txHash)]] as const
  })
  return [
    ...knownTerms([
      [say('network'), label],
      [say('from'), payer && code(payer)],
      [say('to'), code(payable.paymentAddress)],
      ...transfers,
      [say('fingerprint'), code(toHex(receipt.hash))],
    ]),
    ...anchorOf(receipt, words),
  ]
}

function anchorOf({ anchored }: Issued, { say }: Words): readonly Term[] {
  if (!anchored) return knownTerms([[say('anchor'), say('notAnchored')]])
  const { chainId, contract, txHash, blockNumber } = anchored.anchor
  const known = Object.values(registry).find((chain) => chain.chainId === chainId)
  const block = say('blockNumber', { block: blockNumber })
  return knownTerms([
    [say('anchorBlock'), `${known?.label ?? `eip155:${chainId}`}, ${block}`],
    [say('anchorContract'), code(contract)],
    [say('anchorTransaction'), code(txHash, known && known.explorer + txHash)],
  ])
}

/** A list for the page's script, which shows it and marks each check as it is made. */
function checksOf(settled: Settled, { say }: Words): string {
  const texts = {
    hash: say('checkHash'),
    path: say('checkPath'),
    root: say('checkRoot'),
    issuer: say('checkIssuer'),
    revocation: say('checkRevocation'),
  }
  const rows = checks.map((name) => `<li data-check="${name}"><span>…</span>${texts[name]}</li>`)
  return `<section class="checks" aria-live="polite" hidden>
<h2>${say('checkedHere')}</h2>
<ul id="checks" data-bundle="${bundlePath(settled)}" data-facts="/pay/${settled.payable.id}/receipt/anchor">
${rows.join('\n')}
</ul>
</section>`
}

/** What a person does to believe the receipt without believing us. */
function stepsOf(settled: Settled, { say, amount }: Words, publicUrl: string): readonly string[] {
  const { payable, receipt } = settled
  const transfer = say('checkTransfer', {
    amount: amount(payable.amountReceived, 'USDC'),
    token: `<code>${payable.usdcAddress}</code>`,
    address: `<code>${payable.paymentAddress}</code>`,
  })
  const command = `quittance verify-receipt ${receipt.receiptId}.json --issuer ${publicUrl} --rpc …`
  return [
    transfer,
    `${say('checkByProgram')} <a ${toBundle(settled)}>${say('proof')}</a>, <code>${Bun.escapeHTML(command)}</code>`,
  ]
}

function toBundle(settled: Settled): string {
  return `href="${bundlePath(settled)}" download="${settled.receipt.receiptId}.json"`
}

function bundlePath({ receipt: { receiptId }, show }: Settled): string {
  const query = show === null ? '' : `?show=${encodeURIComponent(show)}`
  return `/v1/public/receipts/${receiptId}/bundle${query}`
}
