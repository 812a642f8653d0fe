import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createdInvoice, keyWith } from '../../support/app.ts'
import { axe, confirm, fits, hasBrowser, logIn, onPhone, pictures } from '../../support/browser.ts'
import { heldTransfer } from '../../support/claims.ts'
import { anInvoice, onBase, testProblems, useDashboard, wallet } from '../../support/dashboard.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { eventually, madeInTime } from '../../support/wait.ts'

const limitMs = 30_000

describe.if(hasBrowser)('invoices and their payment pages, in a browser', () => {
  const { node, app, opened, problems } = useDashboard(onBase)
  let page: Page

  beforeAll(() => {
    page = opened.page
  })

  test('the payment page counts down to a due date, lets copy what is needed, and names no buyer', async () => {
    const dueAt = new Date(Date.now() + 3_600_000).toISOString()
    const { json } = await app.send('POST', '/api/invoices', { ...anInvoice, dueAt })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const payment = await page.context().newPage()
    await payment.goto(`${app.url}/pay/${json.id}`)
    await payment
      .getByRole('timer')
      .getByText(/^Due in 00:5\d:\d\d$/)
      .waitFor()
    const copies = { address: json.paymentDetails.paymentAddress, amount: '1.00' }
    for (const [what, text] of Object.entries(copies)) {
      await payment.getByRole('button', { name: `Copy ${what}` }).click()
      const isCopied = async () =>
        (await payment.evaluate('navigator.clipboard.readText()')) === text
      await eventually(isCopied, limitMs)
    }
    const wallet = payment.getByRole('link', { name: 'Open in a wallet' })
    expect(await wallet.getAttribute('href')).toBe(json.paymentDetails.paymentUri)
    const told = await payment.locator('body').textContent()
    for (const buyer of ['Grace', 'grace@example.com']) expect(told).not.toContain(buyer)
    expect(told).toContain('to Ada Example on Base')
    await axe(payment)
    await pictures('pay-due', payment)
    await app.send('POST', `/api/invoices/${json.id}/void`)
    await payment.getByText('Voided').waitFor()
    await payment.close()
  })

  test('the payment page asks for the rest of what is partly paid, and says that a date has passed', async () => {
    const payment = await page.context().newPage()
    const part = (await app.send('POST', '/api/invoices', { ...anInvoice, amount: 20_000_000 }))
      .json
    await payment.goto(`${app.url}/pay/${part.id}`)
    await payment.getByRole('heading', { name: '20.00 USDC' }).waitFor()
    await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: 8_000_000n,
      reference: part.paymentDetails.reference,
    })
    await node.mine(2)
    await payment.getByRole('heading', { name: '12.00 USDC' }).waitFor({ timeout: limitMs })
    await payment.getByText('8.00 USDC of 20.00 USDC already received').waitFor()
    const link = payment.getByRole('link', { name: 'Open in a wallet' })
    await link.waitFor()
    await payment.getByText('Send exactly this amount').waitFor()
    await axe(payment)
    await onPhone(payment)
    await pictures('pay-part', payment)
    await page.goto(`${app.url}/dashboard#/invoices/${part.id}`)
    await page.getByText('8.00 USDC', { exact: true }).first().waitFor()
    await page.getByText('partly paid', { exact: true }).waitFor()
    await page.getByText('12.00 USDC', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Void' }).count()).toBe(0)
    const { made: late } = await madeInTime(async (at) => {
      const dueAt = at.toISOString()
      const { status, json } = await app.send('POST', '/api/invoices', { ...anInvoice, dueAt })
      return status === 201 ? json : null
    }, 1_500)
    await payment.goto(`${app.url}/pay/${late.id}`)
    await payment.getByText('It can still be paid').waitFor({ timeout: limitMs })
    await link.waitFor()
    await axe(payment)
    await payment.close()
  })

  test('a link to no invoice says so on a page', async () => {
    const payment = await page.context().newPage()
    const answer = await payment.goto(`${app.url}/pay/nothing`)
    expect(answer?.status()).toBe(404)
    await payment.getByRole('heading', { name: 'No such invoice' }).waitFor()
    await axe(payment)
    await onPhone(payment)
    await pictures('pay-unknown', payment)
    await payment.close()
  })

  test('a purchase shows its seller in list and page, and is found by kind and agent', async () => {
    const [seller, agentId] = [{ name: 'api.seller.example', wallet }, 'agent-7']
    const of = { address: null, vat: null, email: null }
    const { id } = await storedInvoice(app.database.sql, app.account.account.id, {
      ...{ isPurchase: true, seller: { ...of, ...seller }, payTo: wallet, agentId },
      ...{ form: 'api', description: 'GET https://api.seller.example/v1/report' },
      buyer: { name: null, ...of },
    })
    await app.send('POST', '/api/invoices', anInvoice)
    await page.goto(`${app.url}/dashboard#/invoices`)
    const list = page.getByRole('region', { name: 'Invoices' })
    const row = list.getByRole('row', { name: /^PUR-\d{4}-0001 .* api\.seller\.example/ })
    await row.waitFor()
    await pictures('invoices-both', page)
    await fits(page, 1_000)
    await onPhone(page)
    await axe(page)
    await page.getByLabel('Kind').selectOption('sale')
    await eventually(async () => (await row.count()) === 0, limitMs)
    await page.getByLabel('Kind').selectOption('purchase')
    await row.waitFor()
    expect(await list.getByRole('link').count()).toBe(1)
    await page.getByLabel('Agent').fill('another')
    await page.getByText('No invoice matches these filters').waitFor()
    await page.getByLabel('Agent').fill(agentId)
    await page.waitForURL(/kind=purchase&agentId=agent-7$/)
    await row.getByRole('link').click()
    await page.waitForURL(new RegExp(id))
    const facts = page.getByRole('region', { name: 'Invoice', exact: true })
    await facts.getByText(seller.name).first().waitFor()
    await page.getByRole('region', { name: 'Parties' }).getByTitle(wallet).waitFor()
    expect(await facts.getByText('Buyer').count()).toBe(0)
    await pictures('invoice-purchase', page)
    await onPhone(page)
    await axe(page)
  })

  test('invoices are searched and filtered, the address keeps it, and a draft is sent and voided', async () => {
    const buyer = { companyName: 'Hopper & Söhne', email: 'hopper@example.com' }
    const made = await app.send('POST', '/api/invoices', { ...anInvoice, buyer })
    await app.send('POST', `/api/invoices/${made.json.id}/void`)
    await app.send('POST', '/api/invoices', { ...anInvoice, buyer })
    await page.goto(`${app.url}/dashboard#/invoices`)
    const rows = page.getByRole('region', { name: 'Invoices' }).getByRole('link')
    await page.getByLabel('Search').fill('söhne')
    await page.waitForURL(/search=s/)
    await eventually(async () => (await rows.count()) === 2, limitMs)
    await page.getByLabel('Status').selectOption('draft')
    await eventually(async () => (await rows.count()) === 1, limitMs)
    await rows.first().click()
    await page.getByRole('button', { name: 'Mark as sent' }).waitFor()
    const actions = page.locator('.actions').first().locator('button, a')
    expect((await actions.allTextContents()).slice(0, 2)).toEqual([
      'Copy payment link',
      'Mark as sent',
    ])
    await page.getByRole('button', { name: 'Mark as sent' }).click()
    await page.getByRole('button', { name: 'Mark as sent' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Void' }).click()
    await confirm(page.getByRole('button', { name: 'Void for good' }))
    await page.getByRole('region', { name: 'Timeline' }).getByText('Voided').waitFor()
    await page.goBack()
    expect(await page.getByLabel('Search').inputValue()).toBe('söhne')
    await page.getByText('No invoice matches these filters').waitFor()
    await axe(page)
    await page.getByRole('link', { name: 'Show all' }).click()
    await eventually(async () => (await rows.count()) > 2, limitMs)
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    await page.goBack()
    await eventually(
      async () => (await page.getByLabel('Search').inputValue()) === 'söhne',
      limitMs,
    )
    // Longer than the delay after typing: nothing may be reset.
    await Bun.sleep(600)
    expect(page.url()).toContain('search=s')
  })

  test('a list is sorted by a click on a column’s head, once more the other way round, then as it was', async () => {
    for (const companyName of ['Zeta', 'Alpha', 'Mid'])
      await app.send('POST', '/api/invoices', {
        ...anInvoice,
        buyer: { companyName, email: 'sort@example.com' },
      })
    await page.goto(`${app.url}/dashboard#/invoices?search=sort%40example.com`)
    const table = page.getByRole('region', { name: 'Invoices' })
    const buyers = async () => (await table.locator('td:nth-child(3)').allTextContents()).join()
    const head = table.getByRole('columnheader', { name: 'Counterparty' })
    await eventually(async () => (await buyers()) === 'Mid,Alpha,Zeta', limitMs)
    const shown = []
    for (let clicks = 0; clicks < 3; clicks++) {
      await head.getByRole('button').click()
      shown.push([await head.getAttribute('aria-sort'), await buyers()])
    }
    expect(shown).toEqual([
      ['ascending', 'Alpha,Mid,Zeta'],
      ['descending', 'Zeta,Mid,Alpha'],
      ['none', 'Mid,Alpha,Zeta'],
    ])
    await axe(page)
  })

  test('a click anywhere in a row opens it', async () => {
    await page.goto(`${app.url}/dashboard#/invoices`)
    const row = page.getByRole('region', { name: 'Invoices' }).getByRole('row').nth(1)
    const number = (await row.getByRole('link').textContent()) ?? ''
    await row.locator('td').last().click()
    await page.getByRole('heading', { name: number }).waitFor()
  })

  test('a date is typed digit by digit, and a page that has nothing more leads back', async () => {
    await page.goto(`${app.url}/dashboard#/invoices`)
    await page.getByLabel('Created from (UTC)').focus()
    await page.keyboard.type('01022020', { delay: 30 })
    await page.waitForURL(/startDate=2020-01-02/)
    expect(await page.getByLabel('Created from (UTC)').inputValue()).toBe('2020-01-02')
    await page.goto(`${app.url}/dashboard#/invoices?page=9`)
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.waitForURL(/page=8$/)
  })

  test('an invoice is made with the keyboard alone, and voided when asked twice', async () => {
    // A new document, in which nothing has been focused.
    await page.goto('about:blank')
    await page.goto(`${app.url}/dashboard#/`)
    await page.getByRole('link', { name: 'New invoice' }).waitFor()
    const press = (...keys: readonly string[]) =>
      keys.reduce<Promise<void>>(
        (before, key) => before.then(() => page.keyboard.press(key)),
        Promise.resolve(),
      )
    const focused = () => page.locator(':focus')
    await press('Tab')
    expect(await focused().textContent()).toBe('Skip to content')
    // Past the choice of a period.
    await press('Enter', 'Tab', 'Tab')
    expect(await focused().textContent()).toBe('New invoice')
    await press('Enter')
    await page.getByRole('heading', { name: 'New invoice' }).waitFor()
    // Past the back link, and what has a default or is optional.
    const typed = {
      amount: '8',
      'buyer/companyName': 'Ada Example Ltd',
      'buyer/email': 'ada@example.com',
      'seller/name': 'Grace',
      'seller/wallet': wallet,
    }
    for (const [name, text] of Object.entries(typed)) {
      for (let tabs = 0; tabs < 12; tabs++) {
        await press('Tab')
        // Within a date, `:focus` matches nothing where its picker is focused.
        if ((await page.evaluate('document.activeElement.name')) === name) break
      }
      await page.keyboard.type(text)
    }
    await press('Enter')
    await page.getByText('open', { exact: true }).waitFor()
    // From the page itself: past the back link, the send button and three links.
    for (let tabs = 0; tabs < 7 && (await focused().textContent()) !== 'Void'; tabs++)
      await press('Tab')
    await page.keyboard.down('Enter')
    expect(await focused().textContent()).toBe('Void for good')
    await Bun.sleep(600)
    // The key is still held: the same press repeats.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await focused().textContent()).toBe('Void for good')
    await press('Enter')
    await page.getByText('voided', { exact: true }).waitFor()
  })

  test('a page that fails to be shown says so, and the others go on', async () => {
    await page.route('**/api/v1/dashboard/tax-summary', (route) => route.fulfill({ json: {} }))
    await page.goto(`${app.url}/dashboard#/tax`)
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
    await axe(page)
    await page.unroute('**/api/v1/dashboard/tax-summary')
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('heading', { name: 'Invoices' }).waitFor()
  })

  test('an address of no page says so', async () => {
    await page.goto(`${app.url}/dashboard#/nowhere`)
    await page.getByRole('heading', { name: 'No such page' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${app.url}/dashboard#/budgets/100%`)
    await page.getByRole('heading', { name: '100%' }).waitFor()
  })

  test('unmatched transfers are for operators, who assign them to invoices', async () => {
    expect(await page.getByRole('link', { name: 'Unmatched transfers' }).count()).toBe(0)
    await heldTransfer(app.database.sql, { usdcBase: 7_250_000n, to: wallet })
    const { id } = await createdInvoice(app, { amount: 7.25, sellerName: 'Ada Example' })
    const context = await opened.browser.newContext({ viewport: { width: 1280, height: 800 } })
    const operator = await context.newPage()
    await logIn(operator, app, await keyWith(app, ['admin', 'dashboard:read']))
    await operator.getByRole('link', { name: 'Unmatched transfers' }).click()
    const row = operator.getByRole('row', { name: '7.25 USDC' })
    const named = row.getByLabel('Invoice id or number')
    await named.fill(crypto.randomUUID())
    await named.press('Enter')
    await row.getByRole('alert').getByText('No such invoice').waitFor()
    await axe(operator)
    // An answer that is late says nothing about what was typed since.
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await operator.route(
      '**/pay/*/status',
      async (route) => {
        await isAnswered
        await route.continue()
      },
      { times: 1 },
    )
    await named.fill(id)
    await named.press('Enter')
    await named.fill(crypto.randomUUID())
    answer()
    await row.getByRole('button', { name: 'Look up', disabled: false }).waitFor()
    expect(await row.getByText('due 7.25 USDC').count()).toBe(0)
    // Enter only looks up: the transfer is credited by who has seen to what.
    await named.fill(id)
    await named.press('Enter')
    await row.getByText('to Ada Example, due 7.25 USDC').waitFor()
    await named.press('Enter')
    await row.getByText('due 7.25 USDC').waitFor()
    expect((await app.send('GET', `/v1/invoices/${id}`)).json.data.status).toBe('PENDING')
    await axe(operator)
    await pictures('transfers', operator)
    await row.getByRole('button', { name: 'Credit 7.25 USDC for good' }).click()
    await row.waitFor({ state: 'detached' })
    await operator.getByText(/^7\.25 USDC credited to INV-/).waitFor()
    const paid = await app.send('GET', `/v1/invoices/${id}`)
    expect(paid.json.data.status).toBe('SETTLED')
    await context.close()
  })

  testProblems(problems)
})
