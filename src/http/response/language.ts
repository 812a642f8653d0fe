import { type Language, languageOf } from '../../documents/words/language.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'

/** The language to answer a request for an invoice in. */
export function languageFor(request: Request, invoice: Invoice | null): Language {
  return languageOf(request.headers.get('accept-language'), invoice?.terms.tax.countryCode ?? null)
}

/** The headers of an answer that another language would change. */
export function inLanguage(language: Language) {
  return { 'content-language': language, vary: 'accept-language' } as const
}
