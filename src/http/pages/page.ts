import type { Answer } from '../operation.ts'
import { pageBundle } from './bundle.ts'

/** A page of the dashboard's script; `plain` is shown where that does not run. */
export async function page(title: string, plain: string): Promise<Answer> {
  const { script, style } = await pageBundle()
  const body = `<div id="root"></div>
<noscript>${plain}</noscript>
<script type="module" src="/assets/${script}"></script>`
  return { status: 200, body: documentOf(title, linkTo(style), body), headers: pageHeaders }
}

/** A page without a script; with `reloadSeconds` it loads itself again after that time. */
export async function plainPage(
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
  return { status: 200, body: documentOf(title, reload + style, body), headers: pageHeaders }
}

function linkTo(style: string): string {
  return `<link rel="stylesheet" href="/assets/${style}">`
}

function documentOf(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
