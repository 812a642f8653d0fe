import { askedUsdcBase, needsReference, receivedUsdcBase } from '../../domain/invoices/balance.ts'
import { acceptsPayment, type Invoice, isLate } from '../../domain/invoices/invoice.ts'
import { registry } from '../../domain/registry.ts'
import { exchangeRate, type Fact, knownFacts, moment, referenceHint, usdc } from '../texts.ts'

/** `uri` is for wallets to scan; null if less than the full amount is due. */
export type Payment = {
  readonly heading: string
  readonly facts: readonly Fact[]
  readonly uri: string | null
  readonly hint: string | null
}

export type Settlement = {
  readonly heading: string
  readonly isConfirmed: boolean
  readonly facts: readonly Fact[]
  readonly transfers: readonly Fact[]
}

export function paymentOf(invoice: Invoice): Payment {
  const { terms } = invoice
  const { label: name } = registry[terms.chain]
  const askedBase = askedUsdcBase(invoice)
  return {
    heading: `Pay ${usdc(askedBase)} on ${name}`,
    facts: knownFacts([
      ['To', terms.payTo],
      ['From', terms.payer],
      ['Token', `USDC, ${terms.usdcAddress}`],
      ['Reference', terms.reference],
      ['Exchange rate', rateOf(invoice)],
    ]),
    uri: askedBase < terms.dueUsdcBase ? null : terms.paymentUri,
    hint: needsReference(invoice) ? referenceHint(terms.chain) : null,
  }
}

export function settlementOf(invoice: Invoice): Settlement {
  const { terms, progress } = invoice
  const { label: name, explorer } = registry[terms.chain]
  const { settlement, payments } = progress
  const isConfirmed = settlement !== null
  const excessBase = receivedUsdcBase(invoice) - terms.dueUsdcBase
  return {
    heading:
      excessBase < 0n ? 'Partial payment' : isConfirmed ? 'Payment' : 'Payment, not yet confirmed',
    isConfirmed,
    facts: knownFacts([
      ['Received', `${usdc(receivedUsdcBase(invoice))} on ${name}`],
      ['Overpaid', excessBase > 0n ? usdc(excessBase) : null],
      ['Exchange rate', acceptsPayment(invoice) ? null : rateOf(invoice)],
      ['To', terms.payTo],
      ['From', settlement?.from],
      ['Confirmed', settlement && settledText(settlement, isLate(invoice))],
      ['Receipt', settlement?.receiptId],
    ]),
    transfers: payments.map(({ txHash, usdcBase }) => ({
      label: payments.length > 1 ? usdc(usdcBase) : 'Transaction',
      value: txHash,
      link: explorer + txHash,
    })),
  }
}

type Confirmed = { readonly settledAt: string; readonly blockNumber: number }

function settledText({ settledAt, blockNumber }: Confirmed, late: boolean): string {
  return `${moment(settledAt)}, block ${blockNumber}${late ? ', after its due date' : ''}`
}

function rateOf({ terms: { fx, currency } }: Invoice): string | null {
  return fx && exchangeRate(fx, currency)
}
