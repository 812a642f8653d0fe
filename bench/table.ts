import type { Results } from './results.ts'

const begin = '<!-- claims: begin -->'
const end = '<!-- claims: end -->'

/**
 * The page with a benchmark's new rows in place of its old ones, or at the end of the table if it
 * had none. Throws if the page has no table of claims.
 */
export function refreshed(
  page: string,
  name: string,
  measured: { readonly results: Results; readonly date: string; readonly cores: number },
): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error('the page has no table of claims')
  const lines = page
    .slice(from + begin.length, to)
    .trim()
    .split('\n')
  const command = `\`bun bench/${name}.ts\``
  const isOwn = (line: string) => line.includes(`| ${command} |`)
  const rows = Object.entries(measured.results).map(
    ([claim, value]) =>
      `| ${claim} | ${value} | ${command} | ${measured.date} | ${measured.cores} |`,
  )
  const first = lines.findIndex(isOwn)
  const kept = lines.filter((line) => !isOwn(line))
  const table = kept.toSpliced(first < 0 ? kept.length : first, 0, ...rows)
  return `${page.slice(0, from + begin.length)}\n${table.join('\n')}\n${page.slice(to)}`
}
