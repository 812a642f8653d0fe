import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

/** What the pages say about files is true. */

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const pages = ['*.md', 'docs/**/*.md', 'client/*.md', 'bench/*.md']
  .flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
  .sort()

test('every link between pages leads to a file', async () => {
  expect(pages.length).toBeGreaterThan(40)
  const dead: string[] = []
  for (const page of pages) {
    const text = await Bun.file(root + page).text()
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      if (!existsSync(join(root, dirname(page), target))) dead.push(`${page}: ${target}`)
  }
  expect(dead).toEqual([])
})
