import type { VatId } from '../../domain/vat/ids.ts'

/** `scheme` is a code of the EAS list; `EM` is e-mail, by which Peppol does not route. */
export type ElectronicAddress = { readonly scheme: string; readonly id: string }

/** Null for a country whose companies Peppol knows by an id that does not follow from it. */
export function peppolAddressOf({ text, country }: VatId): ElectronicAddress | null {
  const scheme = vatSchemes[country]
  if (scheme) return { scheme, id: text }
  const make = registers[country]
  return make ? make(text.replace(/\D/g, '')) : null
}

/** Of countries whose companies are known by the whole VAT id. */
const vatSchemes: Readonly<Record<string, string>> = {
  ...{ AD: '9922', AL: '9923', AT: '9914', BA: '9924', BG: '9926', CH: '9927', CY: '9928' },
  ...{ CZ: '9929', DE: '9930', DK: '0184', EE: '9931', ES: '9920', FR: '9957', GB: '9932' },
  ...{ GR: '9933', HR: '9934', HU: '9910', IE: '9935', IT: '0211', LI: '9936', LT: '9937' },
  ...{ LU: '9938', LV: '9939', MC: '9940', ME: '9941', MK: '9942', MT: '9943', NL: '9944' },
  ...{ PL: '9945', PT: '9946', RO: '9947', RS: '9948', SI: '9949', SK: '9950', SM: '9951' },
  ...{ TR: '9952', VA: '9953' },
}

/** Of countries whose companies are known by a register’s number, which the VAT id contains. */
const registers: Readonly<Record<string, (digits: string) => ElectronicAddress>> = {
  AU: (digits) => ({ scheme: '0151', id: digits }),
  BE: (digits) => ({ scheme: '0208', id: digits.padStart(10, '0') }),
  FI: (digits) => ({ scheme: '0216', id: `0037${digits}` }),
  NO: (digits) => ({ scheme: '0192', id: digits }),
  SE: (digits) => ({ scheme: '0007', id: digits.slice(0, 10) }),
}
