import { languageOf } from '../../documents/words/language.ts'
import { wordsIn } from '../../documents/words/tables.ts'
import type { Words } from '../../documents/words/words.ts'
import type { Answer } from '../operation.ts'
import type { ErrorAnswer } from '../response/errors.ts'
import { plainPage } from './page.ts'

/** The seconds until the page reloads, without a `Retry-After`. */
const usualSeconds = 30
/** A `Retry-After` may be shorter than it takes to read the page. */
const leastSeconds = 5

/** Browsers get a page, which reloads itself if the refusal is temporary; programs the error. */
export async function refusedPayment(refusal: ErrorAnswer, { headers }: Request): Promise<Answer> {
  if (!headers.get('accept')?.includes('text/html')) return refusal
  const words = wordsIn(languageOf(headers.get('accept-language'), null))
  const shown = await pageOf(refusal, words)
  return { ...shown, status: refusal.status, headers: { ...refusal.headers, ...shown.headers } }
}

function pageOf({ status, body, headers }: ErrorAnswer, words: Words): Promise<Answer> {
  const { say } = words
  if (status === 404) return card(words, say('noSuchInvoice'), [say('linkIncomplete')])
  const isForNow = status === 429 || status >= 500
  if (!isForNow) return card(words, say('notAccepted'), [JSON.parse(body).error.message])
  const seconds = Math.max(leastSeconds, Number(headers['retry-after'] ?? usualSeconds))
  const texts = [
    say(status === 429 ? 'tooMany' : 'cannotBeShown'),
    say('reloadsItself', { seconds }),
  ]
  return card(words, say('oneMoment'), texts, seconds)
}

function card(
  words: Words,
  heading: string,
  texts: readonly string[],
  reloadSeconds: number | null = null,
): Promise<Answer> {
  const lines = texts.map((text) => `<p>${Bun.escapeHTML(text)}</p>`)
  const body = `<main class="alone"><article class="card pay">
<h1>${heading}</h1>
${lines.join('\n')}
</article></main>`
  return plainPage(words, `${heading} · Quittance`, body, reloadSeconds)
}
