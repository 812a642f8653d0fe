import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { recordAnchored } from '../../support/anchoring.ts'
import {
  axe,
  fits,
  hasBrowser,
  loseAnswer,
  onPhone,
  pictures,
  useBrowser,
} from '../../support/browser.ts'
import { anInvoice, hash, onBase, wallet } from '../../support/dashboard.ts'
import { drawnOnce } from '../../support/pdf.ts'
import { useWorld } from '../../support/world.ts'

describe.if(hasBrowser)('the dashboard and the payment page, in a browser', () => {
  const { node, app } = useWorld(onBase)
  const { opened, problems } = useBrowser()
  let page: Page
  let paidId: string

  beforeAll(() => {
    page = opened.page
  })

  test('a wrong key is refused in words, an API key opens the dashboard', async () => {
    await page.goto(`${app.url}/dashboard`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.title()).toBe('Log in · Quittance')
    await page.keyboard.type('inv_ключ')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This key is invalid or has been revoked').waitFor()
    await page.getByLabel('API key').fill('inv_wrong')
    await Promise.all([page.waitForResponse('**/session'), page.keyboard.press('Enter')])
    await page.getByRole('alert').getByText('This key is invalid or has been revoked').waitFor()
    await page.getByLabel('API key').fill(app.account.apiKey)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('who is not logged in sees no frame before the form, and who is sees no form', async () => {
    const watch = `window.seen = new Set()
      new MutationObserver(() => {
        for (const look of ['nav', 'form']) if (document.querySelector(look)) seen.add(look)
      }).observe(document, { childList: true, subtree: true })`
    const stranger = await (await opened.browser.newContext()).newPage()
    for (const [who, waits] of [
      [stranger, stranger.getByRole('heading', { name: 'Log in' })],
      [page, page.getByRole('heading', { name: 'Overview' })],
    ] as const) {
      await who.addInitScript({ content: watch })
      await who.goto(`${app.url}/dashboard`)
      await who.reload()
      await waits.waitFor()
    }
    expect(await stranger.evaluate('[...seen]')).toEqual(['form'])
    // Nor is there nothing at all where it cannot be told who is.
    await stranger.route('**/dashboard/session', (route) => route.abort(), { times: 1 })
    await stranger.reload()
    await stranger.getByRole('alert').getByText('The service cannot be reached').waitFor()
    await axe(stranger)
    await stranger.getByRole('button', { name: 'Try again' }).click()
    await stranger.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.evaluate('[...seen]')).toEqual(['nav'])
    await stranger.context().close()
  })

  test('the session cookie is out of reach of scripts and other sites, and changes nothing by itself', async () => {
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    const headers = { cookie: `${cookie?.name}=${cookie?.value}` }
    const read = await app.keyless('GET', '/api/invoices', undefined, headers)
    const forged = await app.keyless('POST', '/api/webhooks', {}, headers)
    expect([read.status, forged.status]).toEqual([200, 401])
  })

  test('the header says whose account it is and in which environment, under a mark of its own', async () => {
    const account = page.getByRole('navigation').locator('.account')
    expect(await account.textContent()).toBe(`${app.account.account.name} development`)
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    expect(icon).toStartWith('data:image/svg+xml,')
    await page.getByRole('navigation').locator('.brand svg').waitFor()
  })

  test.each([
    ['invoices', 'No invoices yet', 'Create the first invoice'],
    ['tax', 'Nothing settled yet', 'See the open invoices'],
    ['mandates', 'No mandates yet', 'Read how in the API’s pages'],
    ['budgets', 'No agent has a budget yet', null],
    ['webhooks', 'No webhooks yet', null],
  ])('an empty list says what to do next: %s', async (place, title, next) => {
    await page.goto(`${app.url}/dashboard#/${place}`)
    const empty = page.locator('.empty').filter({ hasText: title })
    await empty.waitFor()
    if (next) await empty.getByRole('link', { name: next }).waitFor()
    else await page.getByRole('form').waitFor()
    await axe(page)
    await pictures(`empty-${place}`, page)
  })

  test('what is wrong with a form is said at its fields, all at once, and the first is focused', async () => {
    await page.goto(`${app.url}/dashboard#/invoices/new`)
    const create = page.getByRole('button', { name: 'Create invoice' })
    // Browsers accept such an address; the service does not.
    await page.getByLabel('Buyer’s e-mail').fill('b@e')
    await page.getByLabel('Due at the end of').fill('2020-01-01')
    await create.click()
    const problems = await page.locator('.problem').allTextContents()
    expect(problems).toEqual([
      'Fill this in.',
      'Choose today or a later day.',
      'Fill this in.',
      'Enter an e-mail address, such as ada@example.com.',
      'Fill this in.',
      'Fill this in.',
    ])
    const amount = page.getByLabel('Amount, before tax')
    expect(await page.locator(':focus').getAttribute('name')).toBe('amount')
    expect(await amount.getAttribute('aria-describedby')).toBe(
      await page.locator('.problem').first().getAttribute('id'),
    )
    for (const name of ['amount', 'buyer/companyName', 'seller/wallet'])
      expect(await markOf(page, name)).toContain('*')
    expect(await markOf(page, 'description')).toBe('none')
    await axe(page)
    await pictures('form-problems', page)
    // What is corrected is not wrong any more, and who corrects it is not disturbed.
    await amount.fill('1')
    expect(await page.locator('.problem').count()).toBe(problems.length - 1)
    expect(await page.locator(':focus').getAttribute('name')).toBe('amount')
    await page.getByRole('alert').getByText('Correct the 5 marked fields').waitFor()
  })

  test('an invoice is created, paid on chain, and shows as settled without a reload', async () => {
    await page.goto(`${app.url}/dashboard#/invoices/new`)
    await page.getByLabel('Amount, before tax').fill('1.2345678')
    await page.getByLabel('Tax country').selectOption('DE')
    await page.getByLabel('Buyer’s name').fill('Ada Example Ltd')
    await page.getByLabel('Buyer’s e-mail').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Grace Example GmbH')
    await page.getByLabel('Your wallet').fill('0xaa')
    await page.getByText('Addresses and VAT ids').click()
    await page.getByLabel('Your VAT id').fill('DE136695976')
    await page.getByLabel('Due at the end of').fill(today())
    const create = page.getByRole('button', { name: 'Create invoice' })
    await create.click()
    await page.getByRole('alert').getByText('Correct the 2 marked fields').waitFor()
    for (const problem of ['at most 6 decimals', 'Enter an address on Base.'])
      await page.locator('.problem').getByText(problem).waitFor()
    await page.getByLabel('Amount, before tax').fill('12.50')
    await page.getByLabel('Your wallet').fill(wallet)
    await loseAnswer(page, '**/api/invoices')
    await create.click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await create.click()
    await page.getByText('open', { exact: true }).waitFor()
    expect((await app.send('GET', '/api/invoices')).json.total).toBe(1)
    const id = page.url().split('/').at(-1) ?? ''
    paidId = id
    const payment = await page.context().newPage()
    await payment.goto(`${app.url}/pay/${id}`)
    await payment.getByRole('heading', { name: '14.875 USDC' }).waitFor()
    await axe(payment)
    await onPhone(payment)
    await pictures('pay-open', payment)
    const { json } = await app.send('GET', `/api/invoices/${id}`)
    expect([json.dueAt, json.seller.vat]).toEqual([`${today()}T23:59:59.999Z`, 'DE136695976'])
    const parties = page.getByRole('region', { name: 'Parties' })
    await parties.getByText('the seller’s address is missing').waitFor()
    await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: 14_875_000n,
      reference: json.paymentDetails.reference,
    })
    await node.mine(2)
    await page.getByText('paid', { exact: true }).waitFor({ timeout: 20_000 })
    await payment.getByText('Paid', { exact: true }).waitFor({ timeout: 20_000 })
    await axe(payment)
    await onPhone(payment)
    await pictures('pay-paid', payment)
    await payment.getByRole('link', { name: 'Receipt' }).click()
    await payment.getByRole('heading', { name: 'How to check it yourself' }).waitFor()
    expect(await payment.getByRole('link', { name: 'Proof of payment' }).count()).toBe(2)
    await axe(payment)
    await onPhone(payment)
    await pictures('receipt', payment)
    await payment.emulateMedia({ media: 'print' })
    expect(await payment.getByText('To keep this receipt').isVisible()).toBe(false)
    const printed = await payment.pdf({ format: 'A4' })
    expect(printed.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    await axe(page)
    await payment.close()
  })

  test('the invoice tells what has happened to it and when, in UTC, who paid, and that its receipt is what it says', async () => {
    const { createdAt } = (await app.send('GET', `/api/invoices/${paidId}`)).json
    const terms = page.getByRole('region', { name: 'Invoice', exact: true })
    await terms.getByText(`, ${createdAt.slice(11, 16)} UTC`).waitFor()
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('Payment confirmed').waitFor()
    const steps = await timeline.getByRole('listitem').allTextContents()
    expect(steps.map((step) => step.split(/\d/)[0])).toEqual([
      'Created',
      'Payment seen',
      'Payment confirmed',
    ])
    const transfer = page
      .getByRole('region', { name: 'Credited transfers' })
      .getByRole('row')
      .nth(1)
    expect(await transfer.textContent()).toContain('14.875 USDC')
    expect(await transfer.getByRole('link').getAttribute('href')).toMatch(
      /^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/,
    )
    const receipt = page.getByRole('region', { name: 'Receipt' })
    await receipt.getByText('what it states has this hash').waitFor()
    await receipt.getByText('not anchored yet').waitFor()
    const { receiptId } = (await app.send('GET', `/api/invoices/${paidId}`)).json
    const place = { chainId: 8453, contract: wallet, txHash: hash, blockNumber: 7, logIndex: 0 }
    await recordAnchored(app.database.sql, receiptId, place)
    await page.reload()
    await receipt.getByText('block 7 of chain 8453').waitFor()
    const links = await receipt.getByRole('link').all()
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
      `/pay/${paidId}/receipt`,
      `/v1/public/receipts/${receiptId}/bundle`,
      `https://basescan.org/tx/${hash}`,
    ])
    const pdf = await page.getByRole('link', { name: 'PDF' }).getAttribute('href')
    await drawnOnce(app, paidId)
    const document = await page.request.get(app.url + pdf)
    expect([document.status(), document.headers()['content-type']]).toEqual([
      200,
      'application/pdf',
    ])
  })

  test('the overview shows it on its day, and a change of another page’s invoice without a reload', async () => {
    await page.goto(`${app.url}/dashboard#/`)
    const day = new Date().toISOString().slice(0, 10)
    await page.getByText('Show as a table').click()
    await page.getByRole('row', { name: `${day} 1 14.88 USDC` }).waitFor()
    await axe(page)
    const body = { ...anInvoice, amount: 2_000_000 }
    const { id } = (await app.send('POST', '/api/invoices', body)).json
    await page.reload()
    const open = page.getByRole('region', { name: 'Open' })
    await open.getByText('2.00 USDC').waitFor()
    await app.send('POST', `/api/invoices/${id}/void`)
    await open.getByText('0.00 USDC').waitFor()
  })

  test('an invoice that somebody else makes appears by itself, and a stream that is away is made up for', async () => {
    const open = page.getByRole('region', { name: 'Open' })
    const { id } = (await app.send('POST', '/api/invoices', { ...anInvoice, amount: 3_000_000 }))
      .json
    await open.getByText('3.00 USDC').waitFor()
    await page.route('**/dashboard/events', (route) => route.abort())
    await page.reload()
    await page.getByText('Refreshing', { exact: true }).waitFor()
    await open.getByText('3.00 USDC').waitFor()
    await app.send('POST', `/api/invoices/${id}/void`)
    await open.getByText('0.00 USDC').waitFor({ timeout: 30_000 })
    await page.unroute('**/dashboard/events')
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('a change that the kept figures of the overview do not show yet appears by itself', async () => {
    await page.goto(`${app.url}/dashboard#/`)
    const open = page.getByRole('region', { name: 'Open' })
    await open.getByText('0.00 USDC').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const before = await (await page.request.get(`${app.url}/api/v1/dashboard/overview`)).text()
    await page.route(
      '**/api/v1/dashboard/overview',
      (route) => route.fulfill({ body: before, contentType: 'application/json' }),
      { times: 1 },
    )
    const { id } = (await app.send('POST', '/api/invoices', { ...anInvoice, amount: 4_000_000 }))
      .json
    await open.getByText('4.00 USDC').waitFor({ timeout: 45_000 })
    await app.send('POST', `/api/invoices/${id}/void`)
    await open.getByText('0.00 USDC').waitFor()
  })

  test('a service that cannot be reached is said, and asked again', async () => {
    await page.route('**/api/budget?**', (route) => route.abort())
    await page.goto(`${app.url}/dashboard#/budgets`)
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor()
    await page.getByRole('navigation').getByText('Not up to date').waitFor()
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0)
    await axe(page)
    await pictures('failure', page)
    const again = page.getByRole('button', { name: 'Try again' })
    await Promise.all([page.waitForRequest('**/api/budget?**'), again.click()])
    await page.unroute('**/api/budget?**')
    // The page may have retried by itself, as it does every few seconds.
    await again.click({ timeout: 2_000 }).catch(() => {})
    await page.getByText('No agent has a budget yet').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('it is not called live beside an error: of an action, or of a view that is refused', async () => {
    const live = page.getByText('Live', { exact: true })
    const isStale = page.getByRole('navigation').getByText('Not up to date')
    await page.goto(`${app.url}/dashboard#/invoices`)
    await live.waitFor()
    await page.route('**/api/invoices?', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await isStale.waitFor()
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await live.waitFor()
    await page.goto(`${app.url}/dashboard#/invoices?status=none`)
    await page.getByRole('alert').waitFor()
    await isStale.waitFor()
    await page.goto(`${app.url}/dashboard#/invoices/${paidId}x`)
    await page.getByText('no such invoice', { exact: false }).waitFor()
    await live.waitFor()
  })

  test.each(['', 'keys', 'tax'])(
    'offline it never says that it is live, and back online it recovers by itself: #/%s',
    async (place) => {
      const live = page.getByText('Live', { exact: true })
      await page.goto(`${app.url}/dashboard#/${place}`)
      await live.waitFor()
      await page.context().setOffline(true)
      await page.getByText('Not up to date').waitFor()
      // Also for a page that is opened only now.
      await page.goto(`${app.url}/dashboard#/webhooks`)
      await page.getByRole('alert').getByText('cannot be reached').waitFor()
      expect(await live.count()).toBe(0)
      await page.context().setOffline(false)
      await live.waitFor()
      await page.getByRole('alert').waitFor({ state: 'detached' })
      await page.getByText('No webhooks yet').waitFor()
    },
  )

  test('the tax summary has what was settled, by country and in all, and prints whole', async () => {
    await page.goto(`${app.url}/dashboard#/tax`)
    const figures = '1 12.50 USDC 2.38 USDC 14.88 USDC'
    await page.getByRole('row', { name: `Germany 19 % ${figures}` }).waitFor()
    await page.getByRole('row', { name: `All countries ${figures}` }).waitFor()
    await page.emulateMedia({ media: 'print' })
    // A4, in CSS pixels.
    await fits(page, 718)
    expect(await page.getByRole('columnheader', { name: 'Total' }).isVisible()).toBe(true)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Download CSV' }).count()).toBe(0)
    await page.emulateMedia({ media: 'screen' })
  })

  test('a file that is refused is refused in the service’s words; without a session there is the form', async () => {
    const refuse = (status: number, message: string) =>
      page.route(
        '**/tax-summary',
        (route) => route.fulfill({ status, json: { error: { message } } }),
        {
          times: 1,
        },
      )
    const download = page.getByRole('button', { name: 'Download CSV' })
    await refuse(429, 'Too many requests')
    await download.click()
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    await refuse(401, 'An API key is required')
    await download.click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.getByText('Your session was ended early').waitFor()
    await axe(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Tax summary' }).waitFor()
  })

  test('logging out ends the session, or says that it has not; nothing was blocked or broken on the way', async () => {
    const logout = page.getByRole('button', { name: 'Log out' })
    await page.route('**/dashboard/session', (route) => route.abort(), { times: 1 })
    await logout.click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await onPhone(page)
    await logout.click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await axe(page)
    await pictures('login', page)
    expect(await page.getByText('Your session').count()).toBe(0)
    expect(await page.context().cookies()).toEqual([])
    expect(problems).toEqual([])
  })
})

/** The mark after the label of the field with this name. */
function markOf(page: Page, name: string): Promise<string> {
  return page.evaluate(
    `getComputedStyle(document.querySelector('[name="${name}"]').closest('label').querySelector('span'), '::after').content`,
  )
}

/** The day, in UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10)
}
