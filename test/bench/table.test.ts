import { expect, test } from 'bun:test'
import { resultsIn } from '../../bench/results.ts'
import { refreshed } from '../../bench/table.ts'

const page = (...rows: string[]) =>
  [
    '# Benchmarks',
    '<!-- claims: begin -->',
    '| claim |',
    '|---|',
    ...rows,
    '<!-- claims: end -->',
    'the end',
    '',
  ].join('\n')
const row = (claim: string, value: string, name: string) =>
  `| ${claim} | ${value} | \`bun bench/${name}.ts\` | 2026-05-01 | 2 |`
const measured = (results: Record<string, string>) => ({ results, date: '2026-05-01', cores: 2 })

test('the rows of a benchmark replace its old ones; other rows stay', () => {
  const before = page(
    row('a', '1', 'read'),
    row('b', '2', 'sign'),
    row('c', '3', 'sign'),
    row('d', '4', 'x402'),
  )
  const after = page(row('a', '1', 'read'), row('b', '9', 'sign'), row('d', '4', 'x402'))
  expect(refreshed(before, 'sign', measured({ b: '9' }))).toBe(after)
})

test('the rows of a new benchmark come last', () => {
  const after = page(row('a', '1', 'read'), row('b', '2', 'sign'))
  expect(refreshed(page(row('a', '1', 'read')), 'sign', measured({ b: '2' }))).toBe(after)
})

test('results are found among other output', () => {
  const output = 'round 1\n{"results":{"a":"1"}}\n{"level":30}\n{"results":{"b":"2"}}\n'
  expect(resultsIn(output)).toEqual({ a: '1', b: '2' })
})
