import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

/** What the pages say about files is true. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const pages = ['*.md', 'docs/**/*.md', 'client/*.md', 'bench/*.md']
  .flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
  .sort()
const read = (page: string) => Bun.file(root + page).text()

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  const plain = text.replace(/^```.*?^```/gms, '')
  return Array.from(plain.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link between pages leads to a file, and to a heading in it', async () => {
  expect(pages.length).toBeGreaterThan(40)
  const dead: string[] = []
  for (const page of pages)
    for (const [, target = '', anchor] of (await read(page)).matchAll(
      /\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g,
    )) {
      const file = target === '' ? page : join(dirname(page), target)
      const isThere = existsSync(root + file)
      if (!isThere || (anchor && !anchorsOf(await read(file)).includes(anchor)))
        dead.push(`${page}: ${target}#${anchor ?? ''}`)
    }
  expect(dead).toEqual([])
})

test('no command for users or operators needs bun on PATH', async () => {
  const found: string[] = []
  for (const page of pages.filter((name) => /^(README\.md|docs\/|client\/)/.test(name))) {
    const text = await read(page)
    const fenced = Array.from(text.matchAll(/^```.*?^```/gms), ([block]) => block.split('\n'))
    const inline = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, command = '']) => command)
    for (const line of [...fenced.flat(), ...inline])
      if (/^\s*bunx? /.test(line)) found.push(`${page}: ${line}`)
  }
  expect(found).toEqual([])
})
