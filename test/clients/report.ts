import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** What docs/compatibility.md says, written by the tests that try it. */

const page = Bun.fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url))

type Row = { readonly client: string; readonly tried: string; passes: boolean }

/**
 * One section of the page, which a test file has for itself: `tries` is a test and a row of it, and
 * `writes` comes last.
 */
export function sectionOf(heading: string) {
  const rows: Row[] = []

  /** `point` is of docs/contract.md, `client` a package, whose installed version is told. */
  function tries(point: string, client: string, tried: string, run: () => Promise<void>): void {
    const row: Row = { client: `${client}${versionOf(client)}`, tried, passes: false }
    rows.push(row)
    test(`${point} ${row.client}: ${tried}`, async () => {
      await run()
      row.passes = true
    })
  }

  /** Fails in CI where the page says something else; elsewhere the page is changed. */
  function writes(): void {
    test(`docs/compatibility.md says what was found for ${heading}`, () => {
      expect(rows.filter(({ passes }) => !passes)).toEqual([])
      const table = [
        '| client | what was tried | result |',
        '|---|---|---|',
        ...rows.map(({ client, tried }) => `| ${client} | ${tried} | passes |`),
      ].join('\n')
      // Read and written at once: other files write theirs.
      const written = readFileSync(page, 'utf8')
      const found = new RegExp(`(?<=^## ${heading}\\n\\n(?:[^|#].*\\n+)*)(?:\\|.*\\n)*`, 'm')
      expect(written).toMatch(found)
      const wanted = written.replace(found, () => `${table}\n`)
      if (process.env.CI) expect(written).toBe(wanted)
      else if (written !== wanted) writeFileSync(page, wanted)
    })
  }

  return { tries, writes }
}

function versionOf(name: string): string {
  if (name.startsWith('node:')) return ''
  const near = new URL(`node_modules/${name}/package.json`, import.meta.url)
  const shared = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return ` ${JSON.parse(readFileSync(existsSync(near) ? near : shared, 'utf8')).version}`
}
