import { type Command, decide } from '../invoices/decide.ts'
import { evolve } from '../invoices/evolve.ts'
import { numberOf } from '../invoices/figures.ts'
import type * as Invoice from '../invoices/invoice.ts'
import type { Payment } from '../invoices/progress.ts'
import type { Form, Terms } from '../invoices/terms.ts'
import { eventData } from '../invoices/view.ts'
import { rowJson } from '../mandates/view.ts'
import { events, type MandateState, type Type } from './events.ts'
import { noteSample } from './note-samples.ts'

/** The `data` of a test event as JSON text. What it is about (number 0) does not exist. */
export function sampleData(type: Type, subjectId: string, form: Form, now: Date): string {
  if (type.startsWith('mandate.'))
    return mandateSample(events[type].sample as MandateState, subjectId, now)
  const sample = /^(credit_note|refund)\./.test(type) ? noteSample : invoiceSample
  return sample(type, subjectId, termsOf[form], now)
}

const address = '0x00000000000000000000000000000000000000aa'
const txHash = `0x${'5a'.repeat(32)}`
const nobody = { name: null, email: null, address: null, vat: null }

const terms: Terms = {
  form: 'api',
  submittedAmount: '1250',
  currency: 'USD',
  scale: 2,
  subtotalUnits: 1_250n,
  tax: { countryCode: null, rateBasisPoints: 0, taxUnits: 0n },
  totalUnits: 1_250n,
  dueUsdcBase: 12_500_000n,
  fx: null,
  chain: 'base',
  payTo: address,
  usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  reference: `0x${'00'.repeat(32)}`,
  buyer: { ...nobody, name: 'Example Buyer', email: 'buyer@example.com' },
  seller: { ...nobody, name: 'Example Seller', wallet: address },
  description: 'A test event: this invoice does not exist',
  agentId: null,
  mandateId: null,
  mandateHash: null,
  payer: null,
  dueAt: null,
  metadata: null,
}

const termsOf: Readonly<Record<Form, Terms>> = {
  api: terms,
  v1: {
    ...terms,
    form: 'v1',
    submittedAmount: '12.5',
    currency: 'USDC',
    scale: 6,
    subtotalUnits: 12_500_000n,
    totalUnits: 12_500_000n,
  },
}

const payment: Payment = {
  key: `base:${txHash}:0`,
  usdcBase: terms.dueUsdcBase,
  txHash,
  blockNumber: 1,
  from: '0x00000000000000000000000000000000000000bb',
  matchedBy: 'reference',
  confirmed: false,
}

/** Plays an invoice's life until the wanted event occurs. */
function invoiceSample(type: Type, id: string, terms: Terms, now: Date): string {
  const settlementId = `stl_${id}`
  const receiptId = `drs_${id}`
  const { key } = payment
  const confirm = {
    kind: 'confirm',
    key,
    blockNumber: 1,
    from: payment.from,
    confirmations: 5,
    settlementId,
    receiptId,
  } as const
  const settling: readonly Command[] = [{ kind: 'credit', payment }, confirm]
  const endings: Readonly<Record<string, readonly Command[]>> = {
    completed: [...settling, { kind: 'receipt_anchored', receiptId }],
    voided: [{ kind: 'void' }],
    reorged: [...settling, { kind: 'revert', key }],
  }
  let invoice: Invoice.Invoice | undefined
  for (const command of [
    { kind: 'create', id, accountId: id, terms } as const,
    { kind: 'send' } as const,
    ...(endings[events[type].sample] ?? []),
  ]) {
    for (const event of decide(invoice, command, now)) {
      invoice = evolve(invoice, [event], now) as Invoice.Invoice
      const data = event.type === type ? eventData(event, invoice) : null
      if (data !== null) return data.replace('"invoiceNumber":null', numbered(invoice))
    }
  }
  throw new Error(`no sample of ${type}`)
}

/** Numbers begin with 1: no invoice has this one. */
function numbered(invoice: Invoice.Invoice): string {
  const { form } = invoice.terms
  return `"invoiceNumber":${form === 'v1' ? 0 : `"${numberOf(invoice, form)}"`}`
}

function mandateSample(state: MandateState, id: string, now: Date): string {
  const at = now.toISOString()
  const isSigned = state !== 'proposed'
  const isSignedByBoth = isSigned && state !== 'signed_by_proposer'
  return rowJson({
    id: `mnd_${id}`,
    accountId: id,
    version: 1,
    state,
    proposer: 'agent_alpha',
    counterparty: 'agent_beta',
    scope: 'A test event: this mandate does not exist',
    terms: '{"amount":"12.50","currency":"USDC"}',
    context: null,
    expiresAt: at,
    hash: `0x${'00'.repeat(32)}`,
    proposerSignature: isSigned ? '00'.repeat(32) : null,
    counterpartySignature: isSignedByBoth ? '00'.repeat(32) : null,
    signedByProposerAt: isSigned ? at : null,
    signedByCounterpartyAt: isSignedByBoth ? at : null,
    completedAt: state === 'completed' ? at : null,
    disputedAt: state === 'disputed' ? at : null,
    disputeReason: state === 'disputed' ? 'A test event' : null,
    receiptId: isSignedByBoth ? `drs_${id}` : null,
    createdAt: at,
    updatedAt: at,
  })
}
