import { describe, expect, test } from 'bun:test'
import { isOfOneStopShop, looksValid, vatIdOf } from '../../../src/domain/vat/ids.ts'

describe('a VAT id as its country issues it is valid', () => {
  test.each([
    ['Belgium', ['BE0428759497', 'BE428759497', 'BE 0428.759.497']],
    ['Belgium, since 2023', ['BE1000000021']],
    ['Finland', ['FI20774740']],
    ['France', ['FR40303265045', 'FR23334175221']],
    ['France, with letters in the key', ['FRK7399859412', 'FR4Z123456782']],
    ['Germany', ['DE136695976']],
    ['Greece', ['EL094259216']],
    ['Ireland', ['IE6388047V', 'IE8D79739I']],
    [
      'Ireland, with a second letter',
      ['IE6388047HA', 'IE6388047QB', 'IE6388047BH', 'IE6388047KI', 'IE6388047VW'],
    ],
    ['Latvia', ['LV40003521600']],
    ['Latvia, of a person', ['LV16117519997', 'LV32512345678']],
    ['the Netherlands', ['NL004495445B01']],
    ['the Netherlands, of a sole trader', ['NL002455799B11']],
    ['Poland', ['PL8567346215', 'PL 856-734-62-15']],
    ['Switzerland', ['CHE-123.456.788 MWST']],
    ['the one-stop shop', ['EU372000041']],
    ['Northern Ireland', ['XI110305878']],
  ])('%s', (_, ids) => {
    expect(ids.filter((id) => !looksValid(id))).toEqual([])
  })
})

describe('a VAT id that breaks a rule of its country is invalid', () => {
  test.each([
    ['a remainder of 10 fits no digit, in Poland', ['PL1234567890', 'PL1645906750']],
    ['nor in Finland', ['FI27141410', 'FI82575270']],
    ['nor in the Netherlands', ['NL472826270B22', 'NL215697110B30']],
    ['the key of a French id is computed, with letters too', ['FR84323140391', 'FRK8399859412']],
    ['a French id has the number of a company in it', ['FR39586827796', 'FRN3154443091']],
    ['I and O are no letters of a French key', ['FRIO334175221']],
    ['the last two digits of a Belgian id check the others', ['BE1000000022', 'BE0431150351']],
    ['a Latvian has a day of birth and a check digit', ['LV16117519998', 'LV16137519997']],
    ['the second letter of an Irish id counts', ['IE6388047VA', 'IE6388047VI', 'IE6388046VW']],
    ['and is none behind I but W', ['IE6388047TJ', 'IE6388047VX']],
    ['a wrong digit', ['DE123456789', 'PL8567346216', 'NL004495446B01']],
    ['no such country, or none', ['US123', '136695976', 'GR094259216', '']],
  ])('%s', (_, ids) => {
    expect(ids.filter(looksValid)).toEqual([])
  })

  test('of Polish ids that differ in the last digit, at most one is valid', () => {
    const stems = Array.from({ length: 200 }, (_, n) => `PL${123_456_789 + 7_919 * n}`)
    const fine = stems.map((stem) =>
      Array.from('0123456789').filter((end) => looksValid(stem + end)),
    )
    expect(fine.filter((ends) => ends.length > 1)).toEqual([])
    expect(fine.filter((ends) => ends.length === 0).length).toBeGreaterThan(0)
  })
})

describe('a VAT id to EN 16931 begins with the code of its country', () => {
  test.each([
    ['DE136695976', 'DE136695976', 'DE'],
    ['de 136/695.976', 'DE136695976', 'DE'],
    ['DE123456789', 'DE123456789', 'DE'],
    ['EL094259216', 'EL094259216', 'GR'],
    ['XI110305878', 'XI110305878', 'GB'],
    ['GB GD001', 'GBGD001', 'GB'],
    ['CHE-123.456.788 MWST', 'CHE123456788MWST', 'CH'],
    ['ESX1234567L', 'ESX1234567L', 'ES'],
    ['AU 51 824 753 556', 'AU51824753556', 'AU'],
    ['US123', 'US123', 'US'],
  ])('%s is %s, of %s', (given, text, country) => {
    expect(vatIdOf(given, null)).toEqual({ text, country })
  })

  test.each(['none', 'n/a', 'NO VAT', 'pending', 'beantragt', 'DE', ''])(
    'words are none, whatever they begin with: %j',
    (given) => expect(vatIdOf(given, null)).toBeNull(),
  )

  test.each([
    'USt-IdNr. DE136695976',
    'VAT 136695976',
    'NIF 12345678Z',
    'EIN 12-3456789',
    '12-3456789',
    '110305878',
    'ZZ123456789',
  ])('nor are numbers behind no country: %s', (given) => expect(vatIdOf(given, null)).toBeNull())

  test.each([
    'Nr. 123',
    'nr. 123',
    'Nr 123',
    'No. 123',
    'No. 974760673',
    'No 974 760 673',
    'ID 12345678',
    'I.D. 123',
    'St. 12/345',
    'ST 12/345',
  ])('nor is the number of something, taxed elsewhere: %s', (given) =>
    expect(vatIdOf(given, 'DE')).toBeNull(),
  )

  test.each([
    ['NO 974 760 673 MVA', 'DE', 'NO974760673MVA'],
    ['CHE-123.456.788', 'DE', 'CHE123456788'],
    ['ie 6388047v', 'DE', 'IE6388047V'],
    ['AU51824753556', 'DE', 'AU51824753556'],
    ['AU 51 824 753 556', 'AU', 'AU51824753556'],
    ['ID 01.234.567.8-901.000', 'ID', 'ID012345678901000'],
    ['GR 094259216', 'GR', 'GR094259216'],
  ])(
    'but one that looks like its country’s, or has the code in front, or is taxed there: %s, by %s',
    (given, taxCountry, text) => {
      expect(vatIdOf(given, taxCountry)?.text).toBe(text)
    },
  )

  test.each(['EU372000041', 'eu 372 000 041', 'IM3720000041'])(
    'nor is one of a one-stop shop, which has no country: %s',
    (given) => expect([vatIdOf(given, null), isOfOneStopShop(given)]).toEqual([null, true]),
  )
})
