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
  const shown = await pageOf(refusal)
  return { ...shown, status: refusal.status, headers: { ...refusal.headers, ...shown.headers } }
}

function pageOf({ status, body, headers }: ErrorAnswer): Promise<Answer> {
  if (status === 404)
    return card('No such invoice', [
      'The link may be incomplete. Ask whoever sent it to you for the right one.',
    ])
  const isForNow = status === 429 || status >= 500
  if (!isForNow) return card('No page', [JSON.parse(body).error.message])
  const seconds = Math.max(leastSeconds, Number(headers['retry-after'] ?? usualSeconds))
  const reason =
    status === 429
      ? 'Too many payment pages were asked for from your network within a minute.'
      : 'The payment page cannot be shown right now.'
  const patience = `It is loaded again by itself in ${seconds} s. A payment that you have made is not affected.`
  return card('One moment', [reason, patience], seconds)
}

function card(
  heading: string,
  texts: readonly string[],
  reloadSeconds: number | null = null,
): Promise<Answer> {
  const lines = texts.map((text) => `<p>${Bun.escapeHTML(text)}</p>`)
  const body = `<main class="alone"><article class="card pay">
<h1>${heading}</h1>
${lines.join('\n')}
</article></main>`
  return plainPage(`${heading} · Quittance`, body, reloadSeconds)
}
