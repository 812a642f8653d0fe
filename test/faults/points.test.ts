import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { inOneLine } from '../support/postgres-wire.ts'
import { anchorPoints, watchPoints } from './points.ts'

const storage = Bun.fileURLToPath(new URL('../../src/storage/', import.meta.url))
const files = [...new Glob('**/*.ts').scanSync(storage)]
const texts = await Promise.all(files.map((file) => Bun.file(storage + file).text()))
const statements = inOneLine(texts.join('\n'))

test.each([...watchPoints, ...anchorPoints])(
  'a worker can come to where $what: storage has that statement',
  ({ text }) => {
    expect(statements).toContain(text)
  },
)
