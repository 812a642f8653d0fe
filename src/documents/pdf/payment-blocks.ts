import {
  dueUsdcBase,
  isLate,
  leftUsdcBase,
  receivedUsdcBase,
  surplusUsdcBase,
} from '../../domain/invoices/balance.ts'
import { acceptsPayment, type Invoice } from '../../domain/invoices/invoice.ts'
import { paymentLink } from '../../domain/invoices/payment-link.ts'
import { payerOf } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { knownFacts } from '../texts.ts'
import type { Words } from '../words/words.ts'

export type Payment = ReturnType<typeof paymentOf>
export type Settlement = ReturnType<typeof settlementOf>

/** What a payer is asked for; `uri` null: no wallet could pay it so that it is recognised. */
export type Asked = {
  readonly usdcBase: bigint
  readonly needsReference: boolean
  readonly uri: string | null
}

/** The rest, where no amount is kept apart for it. */
export function restOf(invoice: Invoice): Asked {
  const usdcBase = leftUsdcBase(invoice)
  // An amount that differs from what is due would not be recognised.
  const isDue = usdcBase === dueUsdcBase(invoice)
  const uri = isDue ? paymentLink(invoice.terms, usdcBase) : null
  return { usdcBase, needsReference: false, uri }
}

export function paymentOf(invoice: Invoice, words: Words, asked: Asked) {
  const { say, usdc } = words
  const { terms } = invoice
  const { label: name } = registry[terms.chain]
  return {
    heading: say('pay', { amount: usdc(asked.usdcBase), chain: name }),
    facts: knownFacts([
      [say('to'), terms.payTo],
      [say('from'), terms.payer],
      [say('token'), `USDC, ${terms.usdcAddress}`],
      [say('reference'), terms.reference],
      [say('exchangeRate'), rateOf(invoice, words)],
    ]),
    uri: asked.uri,
    hint: asked.needsReference
      ? say(terms.chain === 'solana' ? 'restByReferenceOnSolana' : 'restByReference')
      : null,
  }
}

export function settlementOf(invoice: Invoice, words: Words) {
  const { say, usdc } = words
  const { terms, progress } = invoice
  const { label: name, explorer } = registry[terms.chain]
  const { settlement, payments } = progress
  const isConfirmed = settlement !== null
  const leftBase = leftUsdcBase(invoice)
  const excessBase = surplusUsdcBase(invoice)
  return {
    heading: say(leftBase > 0n ? 'partialPayment' : isConfirmed ? 'payment' : 'unconfirmedPayment'),
    isConfirmed,
    facts: knownFacts([
      [
        say('received'),
        say('amountOnChain', { amount: usdc(receivedUsdcBase(invoice)), chain: name }),
      ],
      [say('overpaid'), excessBase > 0n ? usdc(excessBase) : null],
      [say('exchangeRate'), acceptsPayment(invoice) ? null : rateOf(invoice, words)],
      [say('to'), terms.payTo],
      [say('from'), settlement && payerOf(settlement.from)],
      [say('confirmed'), settlement && settledText(settlement, isLate(invoice), words)],
      [say('receipt'), settlement?.receiptId],
    ]),
    transfers: payments.map(({ txHash, usdcBase }) => ({
      label: payments.length > 1 ? usdc(usdcBase) : say('transaction'),
      value: txHash,
      link: explorer + txHash,
    })),
  }
}

function settledText(
  { settledAt, blockNumber }: { settledAt: string; blockNumber: number },
  late: boolean,
  { say, moment }: Words,
): string {
  return say(late ? 'blockAtLate' : 'blockAt', { moment: moment(settledAt), block: blockNumber })
}

function rateOf({ terms: { fx, currency } }: Invoice, words: Words): string | null {
  return fx && words.exchangeRate(fx, currency)
}
