import { en } from './en.ts'
import { wordsOf } from './words.ts'

/** For what is in English for everybody: the dashboard and the XML. */
export const english = wordsOf('en', en)
