import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createdInvoice } from '../../support/app.ts'
import { axe, hasBrowser, onPhone, pictures } from '../../support/browser.ts'
import { testProblems, useDashboard, wallet } from '../../support/dashboard.ts'
import { square, svgUrl } from '../../support/pictures.ts'

describe.if(hasBrowser)('the profile, in a browser', () => {
  const { app, opened, problems } = useDashboard({ env: { BASE_WALLET: wallet } })
  const svg = Buffer.from(svgUrl(square).split(',')[1] ?? '', 'base64')
  let page: Page

  beforeAll(() => {
    page = opened.page
  })

  test('is filled in with a logo, and the payment page of a new invoice shows both', async () => {
    await page.goto(`${app.url}/dashboard#/profile`)
    // Nothing is required, so nothing is said of it; all that is wrong is.
    expect(await page.getByText('are required').isVisible()).toBe(false)
    await page.getByLabel('E-mail').fill('b@e')
    await page.getByLabel('Website').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.locator('.problem').allTextContents()).toEqual([
      'Enter an e-mail address, such as ada@example.com.',
      'Enter a URL, such as https://example.com.',
    ])
    await page.getByLabel('E-mail').fill('')
    await page.getByRole('textbox', { name: 'Name' }).fill('Grace Example GmbH')
    await page.getByLabel('Country').selectOption({ label: 'Germany' })
    await page.getByLabel('Website').fill('https://example.com')
    const file = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svg }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('img[src^="data:image/png"]').waitFor()
    const { json } = await app.send('GET', '/api/account/profile')
    expect(json).toMatchObject({ name: 'Grace Example GmbH', country: 'DE', email: null })
    expect(json.logo).toStartWith('data:image/png')
    const { id } = await createdInvoice(app, { amount: 5 })
    await page.goto(`${app.url}/pay/${id}`)
    await page.getByText('to Grace Example GmbH').waitFor()
    const logo = page.getByRole('img', { name: 'Grace Example GmbH' })
    await logo.waitFor()
    await page.waitForFunction("document.querySelector('.logo').naturalWidth === 512")
    await page.goto(`${app.url}/dashboard#/profile`)
  })

  test.each([
    ['of another type', 'image/jpeg', Buffer.from('ffd8ffe0', 'hex'), 'Choose a PNG or SVG'],
    ['of 3 MB', 'image/png', Buffer.alloc(3_000_000), 'at most 64 KiB'],
    ['that shows nothing', 'image/png', Buffer.from('not a PNG'), 'cannot be shown'],
  ])(
    'a file %s is refused as it is picked, and the logo stays',
    async (_, mimeType, buffer, why) => {
      const input = page.locator('input[type=file]')
      const shown = await page.getByRole('img', { name: 'Your logo' }).getAttribute('src')
      await input.setInputFiles({ name: 'logo', mimeType, buffer })
      await page.locator('.problem', { hasText: why }).waitFor()
      expect(await input.inputValue()).toBe('')
      expect(await page.getByRole('img', { name: 'Your logo' }).getAttribute('src')).toBe(shown)
    },
  )

  test('a logo that is not accepted is refused with the reason, and can be removed', async () => {
    await page.getByRole('button', { name: 'Remove logo' }).waitFor()
    const buffer = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    const file = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.problem', { hasText: 'must not contain <script>' }).waitFor()
    await page.getByRole('button', { name: 'Remove logo' }).click()
    expect(await page.locator('input[type=file]').inputValue()).toBe('')
    expect(await page.locator('.problem').count()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    expect((await app.send('GET', '/api/account/profile')).json.logo).toBeNull()
  })

  test('axe finds nothing, and it fits on a phone', async () => {
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('profile', page)
  })

  testProblems(problems)
})
