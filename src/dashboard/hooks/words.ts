import { createContext, useContext } from 'react'
import { english } from '../../documents/words/english.ts'
import { languages } from '../../documents/words/language.ts'
import { type Texts, type Words, wordsOf } from '../../documents/words/words.ts'

/** The words of the payment page's language; those of the dashboard are English. */
export const Speaking = createContext<Words>(english)

export function useWords(): Words {
  return useContext(Speaking)
}

/** In the language and with the texts that the service put into the payment page. */
export function wordsOfPage(): Words {
  const language = languages.find((one) => one === document.documentElement.lang)
  const text = document.getElementById('texts')?.textContent
  if (!language || !text) return english
  const texts: Texts = JSON.parse(text)
  return wordsOf(language, texts)
}
