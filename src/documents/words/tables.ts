import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import type { Language } from './language.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import { type Texts, type Words, wordsOf } from './words.ts'

export const tables: Readonly<Record<Language, Texts>> = { en, de, fr, es, it, nl, pl, pt }

const made = new Map<Language, Words>()

/** For the server: a page gets the texts of its own language only. */
export function wordsIn(language: Language): Words {
  const words = made.get(language) ?? wordsOf(language, tables[language])
  made.set(language, words)
  return words
}
