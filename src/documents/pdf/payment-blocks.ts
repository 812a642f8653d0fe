import { askedUsdcBase, needsReference, receivedUsdcBase } from '../../domain/invoices/balance.ts'
import { acceptsPayment, type Invoice, isLate } from '../../domain/invoices/invoice.ts'
import { registry } from '../../domain/registry.ts'
import { exchangeRate, knownFacts, moment, referenceHint, usdc } from '../texts.ts'

export type Payment = ReturnType<typeof paymentOf>
export type Settlement = ReturnType<typeof settlementOf>

export function paymentOf(invoice: Invoice) {
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
    // A wallet that scans it would pay the full amount.
    uri: askedBase < terms.dueUsdcBase ? null : terms.paymentUri,
    hint: needsReference(invoice) ? referenceHint(terms.chain) : null,
  }
}

export function settlementOf(invoice: Invoice) {
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

function settledText(
  { settledAt, blockNumber }: { settledAt: string; blockNumber: number },
  late: boolean,
): string {
  return `${moment(settledAt)}, block ${blockNumber}${late ? ', after its due date' : ''}`
}

function rateOf({ terms: { fx, currency } }: Invoice): string | null {
  return fx && exchangeRate(fx, currency)
}
