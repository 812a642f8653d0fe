import type { Command } from '../../src/domain/invoices/decide.ts'
import type { Terms } from '../../src/domain/invoices/terms.ts'
import { maxUnits } from '../../src/domain/money/money.ts'
import { after, payment } from '../support/invoice.ts'
import { linedInvoice } from './lined.ts'
import { variants } from './variants.ts'

/** Terms with `text` repeated in every field up to the length the API accepts. */
function fullOf(text: string): Partial<Terms> {
  const upTo = (length: number) => text.repeat(length).slice(0, length)
  const ofOneLine = (length: number) => upTo(length).replaceAll('\n', ' ')
  const side = { name: ofOneLine(256), address: upTo(500), vat: ofOneLine(64) }
  const { terms } = variants.due
  return {
    ...terms,
    seller: { ...side, email: null, wallet: null },
    buyer: { ...side, email: ofOneLine(254) },
    agentId: ofOneLine(256),
    mandateId: ofOneLine(256),
    poNumber: ofOneLine(64),
    description: upTo(4_000),
  }
}

const { terms } = variants.due
const send: Command = { kind: 'send' }
const parts: Command[] = Array.from({ length: 60 }, (_, n) => ({
  kind: 'credit',
  payment: payment({ key: `base:0x${n}:0`, txHash: `0x${'5e'.repeat(32)}`, usdcBase: 1n }),
}))
const lines = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n + 1}`).join('\n')
const largest = { subtotalUnits: maxUnits, totalUnits: maxUnits, dueUsdcBase: maxUnits }

/** Invoices with as much on their pages as the API accepts. */
export const crowded = {
  'an address of 50 lines': after([send], {
    ...terms,
    seller: { ...terms.seller, address: lines(50) },
    buyer: { ...terms.buyer, address: lines(50) },
  }),
  'a description of 150 lines': after([send], { ...terms, description: lines(150) }),
  'a letter a line': after([send], fullOf('a\n')),
  'the widest letters, without a space': after([send], fullOf('W')),
  'words that almost fit': after([send], fullOf(`${'W'.repeat(20)} `)),
  'wide words': after([send], fullOf('WWWWWW ')),
  'a word a line': after([send], fullOf('Wordy\n')),
  'letters of Greek and Cyrillic': after([send], fullOf('Ψυχή Жизнь ')),
  'sixty transfers': after([send, ...parts], terms),
  'the largest amounts': after([send], { ...terms, ...largest }),
  'the largest amounts, of six decimals': after([send], {
    ...terms,
    ...largest,
    currency: 'USDC',
    scale: 6,
  }),
}

const wordy = 'a description that wraps over several lines, '

/** Invoices with as many and as long lines as the API accepts. */
export const crowdedLines = {
  'a hundred lines': linedInvoice(
    Array.from({ length: 100 }, (_, at) => ({
      description: `Line ${at + 1}${at % 7 === 3 ? `: ${wordy.repeat(6)}` : ''}`,
      quantity: `${at + 1}`,
      unit: at % 2 === 0 ? 'C62' : 'HUR',
      unitPrice: '12.50',
      category: at % 3 === 2 ? 'reduced' : 'standard',
    })),
  ),
  'lines of long texts': linedInvoice([
    { description: wordy.repeat(90), unitPrice: '1' },
    { description: 'W'.repeat(4_000), unitPrice: '1' },
    { description: lines(150), unitPrice: '1' },
  ]),
  'lines with the largest figures': linedInvoice(
    [
      { quantity: '9007199254.740991', unit: 'HUR', unitPrice: '0.000001', category: 'exempt' },
      { quantity: '0.000001', unit: 'KGM', unitPrice: '9007199254.740991123456' },
      { unitPrice: '9000000000.123456', category: 'reverse_charge' },
    ],
    { currency: 'USDC' },
  ),
}
