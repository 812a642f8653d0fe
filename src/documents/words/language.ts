export const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const

export type Language = (typeof languages)[number]

/**
 * The language to speak: the first of `Accept-Language` that there are texts in, else that of the
 * country, else English.
 */
export function languageOf(acceptLanguage: string | null, country: string | null): Language {
  return accepted(acceptLanguage ?? '') ?? ofCountry[country ?? ''] ?? 'en'
}

function accepted(header: string): Language | undefined {
  return header
    .split(',')
    .map((range) => {
      const [tag = '', quality = ''] = range.split(';')
      const primary = tag.trim().toLowerCase().split('-')[0]
      const weight = /^\s*q=/i.test(quality) ? Number(quality.split('=')[1]) : 1
      return { language: languages.find((one) => one === primary), weight }
    })
    .filter(({ language, weight }) => language && weight > 0)
    .sort((one, other) => other.weight - one.weight)[0]?.language
}

/** Countries of several languages, such as Switzerland, are left out unless most speak one. */
const ofCountry: Readonly<Record<string, Language>> = {
  ...{ DE: 'de', AT: 'de', LI: 'de', FR: 'fr', ES: 'es', IT: 'it' },
  ...{ NL: 'nl', BE: 'nl', PL: 'pl', PT: 'pt', BR: 'pt' },
}
