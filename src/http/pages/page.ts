import { english } from '../../documents/words/english.ts'
import type { Words } from '../../documents/words/words.ts'
import type { Answer } from '../operation.ts'
import { inLanguage } from '../response/language.ts'
import { pageBundle } from './bundle.ts'

/** The dashboard, which is in English. */
export async function dashboardPage(): Promise<Answer> {
  const { style } = await pageBundle()
  const body = await scripted('<p>This page needs JavaScript.</p>')
  return answerOf(documentOf(english, 'Quittance', linkTo(style), body))
}

/** The payment page. Its script finds its texts in the page; `plain` is shown where none runs. */
export async function paymentPage(words: Words, title: string, plain: string): Promise<Answer> {
  const { style } = await pageBundle()
  // As data it is not run, so the policy allows it.
  const texts = `<script type="application/json" id="texts">${jsonInHtml(words.texts)}</script>`
  const body = texts + (await scripted(plain))
  return answerOf(documentOf(words, title, linkTo(style), body), inLanguage(words.language))
}

/** A page without a script; with `reloadSeconds` it loads itself again after that time. */
export async function plainPage(
  words: Words,
  title: string,
  body: string,
  reloadSeconds: number | null,
): Promise<Answer> {
  // The page may be shown because the bundle could not be built.
  const style = await pageBundle().then(
    (bundle) => linkTo(bundle.style),
    () => '',
  )
  const reload =
    reloadSeconds === null ? '' : `<meta http-equiv="refresh" content="${reloadSeconds}">`
  const document = documentOf(words, title, reload + style, body)
  return answerOf(document, inLanguage(words.language))
}

/** The script that checks the receipt of a page that is shown without it, too. */
export async function receiptScript(): Promise<string> {
  return pageBundle().then(
    ({ receiptScript }) => scriptOf(receiptScript),
    () => '',
  )
}

async function scripted(plain: string): Promise<string> {
  const { script } = await pageBundle()
  return `<div id="root"></div>
<noscript>${plain}</noscript>
${scriptOf(script)}`
}

function scriptOf(name: string): string {
  return `<script type="module" src="/assets/${name}"></script>`
}

function jsonInHtml(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function answerOf(body: string, more: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers: { ...pageHeaders, ...more } }
}

function linkTo(style: string): string {
  return `<link rel="stylesheet" href="/assets/${style}">`
}

function documentOf({ language }: Words, title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** The mark: `parts/mark.tsx` draws the same. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#17594a"/>' +
    '<path d="M22.5 15a7.5 7.5 0 1 0-7.5 7.5M12 14.5l4.5 4.5 9 7" fill="none" stroke="#fff" stroke-width="3.25" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
