import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'

const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
const file = join(folder, 'rates.json')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const law = { name: 'Hungary', source: 'Áfa tv. § 82' }
const now = { country: 'HU', ...law, from: '2012-01-01', standard: 27, reduced: 5 }
const before = { country: 'HU', ...law, from: '2009-07-01', standard: 25, reduced: 5 }

/** The table of a file with this content. */
function tableOf(content: string) {
  writeFileSync(file, content)
  return readConfig({ TAX_RATES: file }).taxTable
}

/** What is wrong with it. */
function problemOf(content: string): string {
  try {
    tableOf(content)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

test('without TAX_RATES the table is the one built in', () => {
  expect(readConfig({}).taxTable).toBe(builtIn)
})

test('the file adds countries to those built in, with percent to two decimals', () => {
  const half = { ...now, country: 'CH', name: 'Switzerland', standard: 8.1, reduced: 2.55 }
  const table = tableOf(JSON.stringify([now, half, before]))
  expect([...table.keys()]).toEqual([...builtIn.keys(), 'HU', 'CH'])
  expect(table.get('HU')?.map(({ from }) => from)).toEqual(['2009-07-01', '2012-01-01'])
  expect(table.get('CH')).toEqual([
    {
      country: 'CH',
      name: 'Switzerland',
      from: '2012-01-01',
      standardBasisPoints: 810,
      reducedBasisPoints: 255,
      source: law.source,
    },
  ])
})

const bad: readonly (readonly [what: string, rows: unknown, said: string])[] = [
  ['no array', { HU: now }, 'must be a JSON array of rows'],
  ['no object', [now, 'HU'], 'row 2 must be an object'],
  ['null', [null], 'row 1 must be an object'],
  [
    'a country built in',
    [{ ...now, country: 'DE' }],
    'row 1 (DE from 2012-01-01) is of a country whose rates are built in',
  ],
  [
    'a day twice',
    [now, before, { ...now, standard: 26 }],
    'row 3 (HU from 2012-01-01) repeats the day',
  ],
  ['three decimals', [{ ...now, standard: 27.125 }], 'standard must be a number of percent'],
  ['a text of percent', [{ ...now, reduced: '5' }], 'reduced must be a number of percent'],
  ['more than all', [{ ...now, standard: 101 }], 'standard must be a number of percent'],
  ['less than nothing', [{ ...now, reduced: -1 }], 'reduced must be a number of percent'],
  ['rates exchanged', [{ ...now, standard: 5, reduced: 27 }], 'reduced must not exceed standard'],
  ['a code in small letters', [{ ...now, country: 'hu' }], 'country must be a country code'],
  ['no day of the calendar', [{ ...now, from: '2012-02-30' }], 'from must be a day'],
  ['a time', [{ ...now, from: '2012-01-01T00:00:00Z' }], 'from must be a day'],
  ['no source', [{ ...now, source: undefined }], 'source must be one line of text'],
  ['an empty name', [{ ...now, name: '' }], 'name must be one line of text'],
  ['a misspelt member', [{ ...now, reducd: 5 }], '"reducd" is none of its members'],
]

test.each(bad)('%s is refused at start, with file, row and problem', (_, rows, said) => {
  const message = problemOf(JSON.stringify(rows))
  expect(message).toContain(`TAX_RATES, ${file}: `)
  expect(message).toContain(said)
})

test('every problem of a file is named at once', () => {
  const message = problemOf(JSON.stringify([{ ...now, standard: 1.234, from: '' }, 7]))
  expect(message.split('\n').filter((line) => line.includes('TAX_RATES'))).toHaveLength(3)
})

test.each([
  ['that is no JSON', () => problemOf('HU=27'), 'cannot be read'],
  [
    'that is not there',
    () => {
      rmSync(file, { force: true })
      try {
        readConfig({ TAX_RATES: file })
        return ''
      } catch (error) {
        return (error as Error).message
      }
    },
    'cannot be read: ENOENT',
  ],
])('a file %s is refused at start', (_, problem, said) => {
  expect(problem()).toContain(`TAX_RATES, ${file}: ${said}`)
})

test('the example of the operator’s guide is accepted', async () => {
  const guide = await Bun.file(new URL('../../docs/operating.md', import.meta.url)).text()
  const [, example = ''] = /```json\n(\[.*?\])\n```/s.exec(guide) ?? []
  expect(tableOf(example).get('CH')).toHaveLength(2)
})
