import { beforeAll, describe, expect, test } from 'bun:test'
import { type Language, languages } from '../../../src/documents/words/language.ts'
import { tables, wordsIn } from '../../../src/documents/words/tables.ts'
import type { Key } from '../../../src/documents/words/words.ts'
import { axe, hasBrowser, onPhone, pictures, useBrowser } from '../../support/browser.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ read: ['base'], env: { ROLE: 'http' } })
const { opened, problems } = useBrowser()
let id: string

const shown = [
  ...['address', 'amount', 'paymentLink', 'copy', 'open', 'openInWallet', 'exactAmount'],
  ...['total', 'includesVat', 'exchangeRate', 'dueDate', 'purpose'],
] as Key[]

describe.skipIf(!hasBrowser)('the payment page', () => {
  beforeAll(async () => {
    const { json } = await app.send('POST', '/api/invoices', {
      amount: 125_000,
      currency: 'EUR',
      taxCountry: 'DE',
      dueAt: new Date(Date.now() + 200_000_000).toISOString(),
      description: 'サービス 2026',
      buyer: { companyName: 'Ada', email: 'ada@example.com' },
      seller: { name: '株式会社テスト', wallet: `0x${'aa'.repeat(20)}` },
    })
    id = json.id
  })

  test.each([...languages])(
    'in %s has the texts of its language, and none of another',
    async (language) => {
      const page = await pageIn(language)
      await page.getByText(tables[language].exactAmount).waitFor()
      const texts = await page.locator('main *').allTextContents()
      const text = texts.join('\n')
      for (const key of shown) expect(text).toContain(tables[language][key])
      const english = shown.filter((key) => tables[language][key] !== tables.en[key])
      if (language !== 'en') for (const key of english) expect(texts).not.toContain(tables.en[key])
      const { amount } = wordsIn(language)
      expect(text.replace(/\s/g, ' ')).toContain(amount('1487.50', 'EUR').replace(/\s/g, ' '))
      expect(await page.getAttribute('html', 'lang')).toBe(language)
      expect(await page.getByRole('timer').textContent()).toContain(
        tables[language].dueIn.replace('{time}', '').trim(),
      )
      await axe(page)
      await onPhone(page)
      await pictures(`pay-${language}`, page)
      await page.context().close()
      expect(problems).toEqual([])
    },
  )

  async function pageIn(language: Language) {
    const context = await opened.browser.newContext({ locale: language })
    const page = await context.newPage()
    page.on('console', (line) => {
      if (/Content.Security/.test(line.text())) problems.push(line.text())
    })
    await page.goto(`${app.url}/pay/${id}`)
    return page
  }
})
