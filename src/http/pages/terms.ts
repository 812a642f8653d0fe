import type { Line, Term } from '../../documents/texts.ts'

export function listOf(terms: readonly Term[]): string {
  const rows = terms.map(
    ({ label, lines }) => `<div><dt>${label}</dt><dd>${lines.map(htmlOf).join('')}</dd></div>`,
  )
  return `<dl>${rows.join('')}</dl>`
}

function htmlOf({ text, href, isCode }: Line): string {
  const escaped = Bun.escapeHTML(text)
  const shown = isCode ? `<code>${escaped}</code>` : `<span class="lines">${escaped}</span>`
  return href ? `<a href="${Bun.escapeHTML(href)}" rel="noreferrer">${shown}</a>` : shown
}
