import { expect, test } from 'bun:test'
import { readEcbDay } from '../../../src/domain/money/ecb.ts'
import { isStale } from '../../../src/domain/money/money.ts'
import { ecbXml } from '../../support/ecb.ts'

test('a unit is worth USD per EUR divided by its units per EUR, at 9 decimals, half up', () => {
  const xml = ecbXml('2026-11-23', [
    ['USD', '1.0512'],
    ['JPY', '163.07'],
    ['ISK', '2102.4'],
    ['IDR', '16715.35'],
    ['XAF', '3.2'],
  ])
  expect(readEcbDay(xml)).toEqual({
    asOf: '2026-11-23T00:00:00.000Z',
    rates: {
      EUR: '1.0512',
      JPY: '0.006446311',
      ISK: '0.0005',
      IDR: '0.000062888',
      XAF: '0.3285',
    },
  })
})

test('double quotes are read too', () => {
  const xml = ecbXml('2026-11-23').replaceAll("'", '"')
  expect(readEcbDay(xml)).toEqual(readEcbDay(ecbXml('2026-11-23')))
})

const good = ecbXml('2026-11-23')
const day = "<Cube time='2026-11-22'><Cube currency='USD' rate='1'/></Cube>"

test.each<[string, string]>([
  ['nothing', ''],
  ['a page', '<!doctype html><title>Maintenance</title>'],
  ['half of it', good.slice(0, good.indexOf('GBP'))],
  ['two days', good.replace('\t<Cube>\n', `\t<Cube>${day}\n`)],
  ['no day', good.replace('2026-11-23', '')],
  ['a day that does not exist', good.replace('2026-11-23', '2026-13-23')],
  ['no USD', ecbXml('2026-11-23', [['JPY', '162.5']])],
  ['no rates', ecbXml('2026-11-23', [])],
  ['a currency twice', good.replace('GBP', 'JPY')],
  ['EUR in EUR', good.replace('GBP', 'EUR')],
  ['a rate of 0', good.replace("'0.85'", "'0.00'")],
  ['a negative rate', good.replace("'0.85'", "'-0.85'")],
  ['no number', good.replace("'0.85'", "'N/A'")],
  ['an exponent', good.replace("'0.85'", "'8e-1'")],
  ['a code in lower case', good.replace('GBP', 'gbp')],
  ['text between rates', good.replace("<Cube currency='GBP'", "gone <Cube currency='GBP'")],
])('%s is refused', (_, xml) => {
  expect(() => readEcbDay(xml)).toThrow()
})

test.each([
  ['2026-11-24T12:00:00.000Z', false],
  ['2026-11-30T23:59:59.999Z', false],
  ['2026-12-01T23:59:59.999Z', true],
  ['2026-12-01T00:00:00.000Z', true],
])('a rate of 23 November is stale at %s: %p', (at, stale) => {
  expect(isStale('2026-11-23T00:00:00.000Z', at)).toBe(stale)
})
