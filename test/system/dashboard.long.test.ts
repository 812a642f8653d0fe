import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page, Route } from 'playwright-core'
import { keyWith, type TestApp, testApp } from '../support/app.ts'
import { hasBrowser, startBrowser } from '../support/browser.ts'
import { heldTransfer } from '../support/claims.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { aMandate } from '../support/mandates.ts'
import { drawnOnce } from '../support/pdf.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { eventually, madeInTime } from '../support/wait.ts'

const timeoutMs = 30_000
const hash = `0x${'5e'.repeat(32)}`
const wallet = '0x00000000000000000000000000000000000000aa'

const anInvoice = {
  amount: 1_000_000,
  currency: 'USDC',
  buyer: { companyName: 'Grace Example', email: 'grace@example.com' },
  seller: { name: 'Ada Example', wallet },
}

let node: EvmNode
let app: TestApp
let browser: Browser
let page: Page
let receiver: Receiver
let paidId: string
const browserErrors: string[] = []

type Json = Readonly<Record<string, unknown>>

describe.if(hasBrowser)('in a browser', () => {
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 8453 })
    app = await testApp({
      BASE_RPC_URL: node.url,
      BASE_POLL_MS: '500',
      BASE_WALLET: wallet,
      BASE_CONFIRMATIONS: '1',
    })
    receiver = startReceiver()
    await node.mint(node.wallet(1).address, 1_000_000_000n)
    browser = await startBrowser()
    const context = await browser.newContext({ timezoneId: 'America/Los_Angeles' })
    page = await context.newPage()
    page.on('pageerror', (error) => browserErrors.push(error.message))
    page.on('console', (line) => {
      if (/Content.Security/.test(line.text())) browserErrors.push(line.text())
    })
  })

  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await receiver?.stop()
    await node?.stop()
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
    const stranger = await (await browser.newContext()).newPage()
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

  test('an invoice is created, paid on chain, and shows as settled without a reload', async () => {
    await page.goto(`${app.url}/dashboard#/invoices/new`)
    await page.getByLabel('Amount, before tax').fill('1.2345678')
    await page.getByLabel('Tax country').fill('DE')
    await page.getByLabel('Buyer’s name').fill('Ada Example Ltd')
    await page.getByLabel('Buyer’s e-mail').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Grace Example GmbH')
    await page.getByLabel('Your wallet').fill('0xaa')
    await page.getByText('Addresses and VAT ids').click()
    await page.getByLabel('Your VAT id').fill('DE136695976')
    await page.getByLabel('Due at the end of').fill(today())
    const create = page.getByRole('button', { name: 'Create invoice' })
    await create.click()
    await page.getByRole('alert').getByText('at most 6 decimals').waitFor()
    await page.getByLabel('Amount, before tax').fill('12.50')
    await create.click()
    await page.getByRole('alert').getByText('Your wallet: must be an address on base').waitFor()
    await page.getByLabel('Your wallet').fill(wallet)
    await loseAnswer('**/api/invoices')
    await create.click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await create.click()
    await page.getByText('draft', { exact: true }).waitFor()
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
    await page.getByText('settled', { exact: true }).waitFor({ timeout: 20_000 })
    await payment.getByText('Paid', { exact: true }).waitFor({ timeout: 20_000 })
    expect(await payment.getByRole('link', { name: 'Proof of payment' }).count()).toBe(1)
    await axe(payment)
    await onPhone(payment)
    await pictures('pay-paid', payment)
    await axe(page)
    await payment.close()
  })

  test('the invoice tells what has happened to it and when, in UTC, who paid, and that its receipt is what it says', async () => {
    const { createdAt } = (await app.send('GET', `/api/invoices/${paidId}`)).json
    const terms = page.getByRole('region', { name: 'Invoice', exact: true })
    await terms.getByText(`, ${createdAt.slice(11, 16)} UTC`).waitFor()
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('Settlement confirmed').waitFor()
    const steps = await timeline.getByRole('listitem').allTextContents()
    expect(steps.map((step) => step.split(/\d/)[0])).toEqual([
      'Invoice created',
      'Payment credited',
      'Invoice paid',
      'Payment confirmed',
      'Invoice settled',
      'Settlement confirmed',
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
    await receipt.getByText('the text matches the hash').waitFor()
    await receipt.getByText('not anchored yet').waitFor()
    await app.database
      .sql`update anchors set state = 'anchored', chain_id = 8453, block_number = 7, tx_hash = ${hash},
      contract = ${wallet} where kind = 'receipt'`
    await page.reload()
    await receipt.getByText('block 7 of chain 8453').waitFor()
    const proof = receipt.getByRole('link').nth(1)
    expect(await proof.getAttribute('href')).toBe(`https://basescan.org/tx/${hash}`)
    const pdf = await page.getByRole('link', { name: 'PDF' }).getAttribute('href')
    await drawnOnce(app, paidId)
    const document = await page.request.get(app.url + pdf)
    expect([document.status(), document.headers()['content-type']]).toEqual([
      200,
      'application/pdf',
    ])
  }, 60_000)

  test('the overview shows it on its day, and a change of another page’s invoice without a reload', async () => {
    await page.goto(`${app.url}/dashboard#/`)
    const day = new Date().toISOString().slice(0, 10)
    await page.getByText('Show as a table').click()
    await page.getByRole('row', { name: `${day} 1 14.875 USDC` }).waitFor()
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
  }, 60_000)

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
  }, 60_000)

  test('a service that cannot be reached is said, and asked again', async () => {
    await page.route('**/api/budget?**', (route) => route.abort())
    await page.goto(`${app.url}/dashboard#/budgets`)
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor()
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
      await eventually(isCopied, timeoutMs)
    }
    const wallet = payment.getByRole('link', { name: 'Open in a wallet' })
    expect(await wallet.getAttribute('href')).toBe(json.paymentDetails.paymentUri)
    const told = await payment.locator('body').textContent()
    for (const buyer of ['Grace', 'grace@example.com']) expect(told).not.toContain(buyer)
    expect(told).toContain('to Ada Example on Base')
    await axe(payment)
    await pictures('pay-due', payment)
    await app.send('POST', `/api/invoices/${json.id}/void`)
    await payment.getByText('Void: no longer payable').waitFor()
    await payment.close()
  }, 60_000)

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
    await payment.getByRole('heading', { name: '12.00 USDC' }).waitFor({ timeout: timeoutMs })
    await payment.getByText('8.00 USDC of 20.00 USDC already received').waitFor()
    const link = payment.getByRole('link', { name: 'Open in a wallet' })
    expect(await link.count()).toBe(0)
    await payment.getByText('recognised only by the reference').waitFor()
    await payment.getByRole('button', { name: 'Copy reference' }).waitFor()
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
    await payment.getByText('It can still be paid').waitFor({ timeout: timeoutMs })
    await link.waitFor()
    await axe(payment)
    await payment.close()
  }, 90_000)

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

  test('invoices are searched and filtered, the address keeps it, and a draft is sent and voided', async () => {
    const buyer = { companyName: 'Hopper & Söhne', email: 'hopper@example.com' }
    const made = await app.send('POST', '/api/invoices', { ...anInvoice, buyer })
    await app.send('POST', `/api/invoices/${made.json.id}/void`)
    await app.send('POST', '/api/invoices', { ...anInvoice, buyer })
    await page.goto(`${app.url}/dashboard#/invoices`)
    const rows = page.getByRole('region', { name: 'Invoices' }).getByRole('link')
    await page.getByLabel('Search').fill('söhne')
    await page.waitForURL(/search=s/)
    await eventually(async () => (await rows.count()) === 2, timeoutMs)
    await page.getByLabel('Status').selectOption('draft')
    await eventually(async () => (await rows.count()) === 1, timeoutMs)
    await rows.first().click()
    await page.getByRole('button', { name: 'Mark as sent' }).click()
    await page.getByText('sent', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Void' }).click()
    await confirm(page.getByRole('button', { name: 'Void for good' }))
    await page.getByText('Invoice failed: voided').waitFor()
    await page.goBack()
    expect(await page.getByLabel('Search').inputValue()).toBe('söhne')
    await page.getByText('No invoice matches these filters').waitFor()
    await axe(page)
    await page.getByRole('link', { name: 'Show all' }).click()
    await eventually(async () => (await rows.count()) > 2, timeoutMs)
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    await page.goBack()
    await eventually(
      async () => (await page.getByLabel('Search').inputValue()) === 'söhne',
      timeoutMs,
    )
    // Longer than the delay after typing: nothing may be reset.
    await Bun.sleep(600)
    expect(page.url()).toContain('search=s')
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

  test('the tax summary has what was settled, by country and in all, and prints whole', async () => {
    await page.goto(`${app.url}/dashboard#/tax`)
    const figures = '1 12.50 USDC 2.375 USDC 14.875 USDC'
    await page.getByRole('row', { name: `Germany 19 % ${figures}` }).waitFor()
    await page.getByRole('row', { name: `All countries ${figures}` }).waitFor()
    await page.emulateMedia({ media: 'print' })
    // A4, in CSS pixels.
    await fits(page, 718)
    expect(await page.getByRole('columnheader', { name: 'Total' }).isVisible()).toBe(true)
    for (const role of ['navigation', 'button'] as const)
      expect(await page.getByRole(role).count()).toBe(0)
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
    await page.reload()
    await page.getByRole('heading', { name: 'Tax summary' }).waitFor()
  })

  test('an invoice is made with the keyboard alone, and voided when asked twice', async () => {
    await page.goto(`${app.url}/dashboard#/`)
    await page.reload()
    await page.getByRole('link', { name: 'New invoice' }).waitFor()
    const press = (...keys: readonly string[]) =>
      keys.reduce<Promise<void>>(
        (before, key) => before.then(() => page.keyboard.press(key)),
        Promise.resolve(),
      )
    const focused = () => page.locator(':focus')
    await press('Tab')
    expect(await focused().textContent()).toBe('Skip to content')
    await press('Enter', 'Tab')
    expect(await focused().textContent()).toBe('New invoice')
    await press('Enter')
    await page.getByRole('heading', { name: 'New invoice' }).waitFor()
    // Skips the back link, currency and chain.
    await press('Tab', 'Tab')
    for (const text of ['8', '', '', '', 'Ada Example Ltd', 'ada@example.com', 'Grace']) {
      await page.keyboard.type(text)
      await press('Tab')
    }
    await page.keyboard.type(wallet)
    await press('Enter')
    await page.getByText('draft', { exact: true }).waitFor()
    // From the page itself: past the back link, the send button and two links.
    for (let tabs = 0; tabs < 6 && (await focused().textContent()) !== 'Void'; tabs++)
      await press('Tab')
    await page.keyboard.down('Enter')
    expect(await focused().textContent()).toBe('Void for good')
    await Bun.sleep(600)
    // The key is still held: the same press repeats.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await focused().textContent()).toBe('Void for good')
    await press('Enter')
    await page.getByText('void', { exact: true }).waitFor()
  }, 60_000)

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

  test('a webhook is created and gets a test event', async () => {
    await page.goto(`${app.url}/dashboard#/webhooks`)
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('invoice.settled').check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('shown only once').waitFor()
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByLabel('Event type').selectOption('invoice.completed')
    await page.evaluate(`new EventSource('/dashboard/events').addEventListener('deliveries', () => {
      document.body.dataset.told = 'yes'
    })`)
    await page.getByRole('button', { name: 'Send Test Event' }).click()
    await page.getByText('delivered', { exact: true }).waitFor({ timeout: 20_000 })
    expect(receiver.received.length).toBe(1)
    await page.locator('body[data-told=yes]').waitFor()
  })

  test('a rotation whose answer was lost is repeated, not made again; a test event is sent again', async () => {
    const path = `/api/webhooks/${page.url().split('/').at(-1)}`
    const lost = await loseAnswer('**/rotate-secret')
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await confirm(page.getByRole('button', { name: 'Rotate now' }))
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await confirm(page.getByRole('button', { name: 'Rotate now' }))
    const { secret } = await lost.answer
    expect(await page.locator('.secret code').textContent()).toBe(secret as string)
    expect(await page.getByText('rotated again').count()).toBe(0)
    await loseAnswer('**/test')
    await page.getByLabel('Event type').selectOption('invoice.sent')
    await page.getByRole('button', { name: 'Send Test Event' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Send Test Event' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'invoice.sent' }).nth(1).waitFor()
    const { data } = (await app.send('GET', `${path}/deliveries`)).json
    const types = data.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['invoice.sent', 'invoice.sent', 'invoice.completed'])
  })

  test('a secret whose answer was lost is said to be outdated, if it may be, where the webhook was changed since', async () => {
    const path = `/api/webhooks/${page.url().split('/').at(-1)}`
    const rotate = async () => {
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await confirm(page.getByRole('button', { name: 'Rotate now' }))
    }
    const lost = await loseAnswer('**/rotate-secret')
    await rotate()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    const { secret } = await lost.answer
    expect((await app.send('POST', `${path}/rotate-secret`)).status).toBe(200)
    // The repetition's answer arrives, but not whether anything was changed since.
    await page.route(`**${path}`, (route) => route.abort(), { times: 1 })
    await rotate()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await rotate()
    await page.getByText('rotated again').waitFor()
    expect(await page.locator('.secret code').textContent()).toBe(secret as string)
    await axe(page)
    await rotate()
    await page.getByText('rotated again').waitFor({ state: 'detached' })
    expect(await page.locator('.secret code').textContent()).not.toBe(secret as string)
  })

  test('a secret whose answer was lost is said to be lost, and what helps', async () => {
    await page.goto(`${app.url}/dashboard#/keys`)
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('Name').fill('Lost agent')
    await form.getByLabel('invoices:read').check()
    await loseAnswer('**/api/keys')
    await form.getByRole('button', { name: 'Create key' }).click()
    await form.getByRole('alert').getByText('cannot be reached').waitFor()
    await form.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Revoke Lost agent and create another key').waitFor()
    await axe(page)
    const row = page.getByRole('row', { name: 'Lost agent' })
    await row.getByText('active', { exact: true }).waitFor()
    await form.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('shown only once').waitFor()
    await row.nth(1).waitFor()
    await page.goto(`${app.url}/dashboard#/webhooks`)
    const url = `${receiver.url}?lost`
    await page.getByLabel('URL').fill(url)
    await page.getByLabel('invoice.settled').check()
    await loseAnswer('**/api/webhooks')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('was lost').getByRole('link', { name: 'the webhook’s page' }).waitFor()
    // Rejects where there are several.
    await page.getByRole('link', { name: url }).waitFor()
  })

  test('an API key is created, shown once, and revoked when asked twice', async () => {
    await page.goto(`${app.url}/dashboard#/keys`)
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('Name').fill('Billing agent')
    await form.getByLabel('invoices:read').check()
    await form.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('shown only once').waitFor()
    await axe(page)
    await pictures('key', page)
    const key = (await page.locator('.secret code').textContent()) ?? ''
    const status = async (path: string) =>
      (await app.keyless('GET', path, undefined, { 'x-api-key': key })).status
    expect([await status('/api/invoices'), await status('/api/webhooks')]).toEqual([200, 403])
    const row = page.getByRole('row', { name: 'Billing agent' })
    await row.getByRole('button', { name: 'Revoke' }).dblclick()
    await row.getByRole('button', { name: 'Keep' }).click()
    expect(await page.locator(':focus').textContent()).toBe('Revoke')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await confirm(row.getByRole('button', { name: 'Revoke for good' }))
    await row.getByText('revoked', { exact: true }).waitFor()
    await eventually(async () => (await status('/api/invoices')) === 401)
    await page.reload()
    await page.getByRole('row', { name: 'Billing agent' }).waitFor()
    expect(await page.getByText(key).count()).toBe(0)
  })

  test('a budget is set, and shown with what is left of it', async () => {
    await page.goto(`${app.url}/dashboard#/budgets`)
    const form = page.getByRole('form', { name: 'Set a budget' })
    await form.getByLabel('Agent').fill('agent/7')
    await form.getByLabel('Limit', { exact: true }).fill('500')
    await form.getByRole('button', { name: 'Set budget' }).click()
    await page.getByRole('heading', { name: 'agent/7' }).waitFor()
    await page.getByText('remaining of 500.00 USDC').waitFor()
    const change = page.getByRole('form', { name: 'Change the budget' })
    expect(await change.getByLabel('Limit', { exact: true }).inputValue()).toBe('500.00')
    await change.getByLabel('Limit per payment').fill('20')
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByText('up to 20.00 USDC').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Agents & budgets' }).click()
    await page.getByRole('row', { name: 'agent/7 active' }).waitFor()
    // One that exists is not replaced by who means to make a new one.
    await form.getByLabel('Agent').fill('agent/7')
    await form.getByLabel('Limit', { exact: true }).fill('7')
    await form.getByRole('button', { name: 'Set budget' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('agent/7 already has a budget: 500.00 USDC, month').waitFor()
    const { limit, perTransactionLimit } = (await app.send('GET', '/api/budget/agent%2F7')).json
      .data
    expect([limit, perTransactionLimit]).toEqual([500_000_000, 20_000_000])
    await alert.getByRole('link').click()
    await change.waitFor()
  })

  test('a budget that is changed elsewhere is shown whole in its form, and what one saves there leaves that as it is', async () => {
    const path = '/api/budget/agent%2F7'
    const change = page.getByRole('form', { name: 'Change the budget' })
    const shown = () =>
      Promise.all(['limit', 'period'].map((name) => change.locator(`[name=${name}]`).inputValue()))
    await app.send('PUT', path, { limit: 600_000_000, period: 'week' })
    await page.getByText('remaining of 600.00 USDC').waitFor()
    expect(await shown()).toEqual(['600.00', 'week'])
    await change.getByLabel('Limit per payment').fill('30')
    await app.send('PUT', path, { limit: 20_000_000, period: 'day' })
    await change.getByText('The budget has changed in the meantime: 20.00 USDC, day.').waitFor()
    expect(await shown()).toEqual(['600.00', 'week'])
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByText('up to 30.00 USDC').waitFor()
    expect(await shown()).toEqual(['20.00', 'day'])
    const { limit, period, perTransactionLimit } = (await app.send('GET', path)).json.data
    expect([limit, period, perTransactionLimit]).toEqual([20_000_000, 'day', 30_000_000])
  })

  test('a name that is written from the right is cut at its end, as any other', async () => {
    const agentId = 'شركة المثال للتجارة العامة والمقاولات المحدودة'
    await app.send('PUT', `/api/budget/${encodeURIComponent(agentId)}`, { limit: 1 })
    const terms = { proposer: 'a', counterparty: 'b', terms: {}, expiry: '2099-12-31T00:00:00Z' }
    await app.send('POST', '/v1/mandates', { ...terms, scope: agentId })
    for (const place of ['', 'budgets', 'mandates']) {
      await page.goto(`${app.url}/dashboard#/${place}`)
      await page.locator('main .cut:dir(rtl)').filter({ hasText: agentId }).waitFor()
    }
  })

  test('a mandate whose terms limit payments otherwise than they seem to says so', async () => {
    const { id } = await aMandate(app, [], undefined, { amount: '5,00', currency: 'USDC' })
    await page.goto(`${app.url}/dashboard#/mandates/${id}`)
    const terms = page.getByRole('region', { name: 'Terms' })
    await terms.getByText('nothing can be paid under this mandate').waitFor()
  })

  test('no page has anything for axe to say, in either theme, nor is wider than a phone or cuts figures off', async () => {
    const { id } = await aMandate(app)
    await app.database
      .sql`update anchors set state = 'anchored', chain_id = 8453, block_number = 7, tx_hash = ${hash}
      where kind = 'mandate' and subject_id = ${id}`
    await page.goto(`${app.url}/dashboard#/mandates`)
    await page.getByLabel('Status').selectOption('signed_by_both')
    await page.waitForURL(/status=signed_by_both$/)
    await page.locator(`a[href="#/mandates/${id}"]`).click()
    await page.getByRole('region', { name: 'Terms' }).getByText('"b": 2').waitFor()
    await page
      .getByRole('region', { name: 'Receipt' })
      .getByText('the text matches the hash')
      .waitFor()
    await page.goBack()
    expect(await page.getByLabel('Status').inputValue()).toBe('signed_by_both')
    await page.goForward()
    const anchor = page.getByRole('region', { name: 'Timeline' }).getByRole('link').first()
    expect(await anchor.getAttribute('href')).toBe(`https://basescan.org/tx/${hash}`)
    // A month with settlements on most days.
    await app.database.sql`insert into settled_days
      select ${app.account.account.id}, current_date - ago, 1 + ago % 4, 1000000 * (20 + ago * 7 % 31) * (ago % 6)
      from generate_series(1, 29) as ago where ago % 6 > 0`
    // Figures as wide as they get.
    await app.database
      .sql`insert into tax_totals (account_id, currency, scale, country_code, rate_basis_points, invoice_count, subtotal_units, tax_units)
      values (${app.account.account.id}, 'SEK', 2, 'GB', 2000, 1000, 123456789012, 24691357802)`
    const buyer = { companyName: 'Long and Longer Example Ltd, '.repeat(8), email: 'a@example.com' }
    const large = { ...anInvoice, amount: 99_999_999, currency: 'SEK', buyer }
    await app.send('POST', '/api/invoices', large)
    const hooks = (await app.send('GET', '/api/webhooks')).json.data
    const paths = [
      '',
      'invoices',
      'invoices/new',
      `invoices/${paidId}`,
      'budgets',
      'budgets/agent%2F7',
      'mandates',
      `mandates/${id}`,
      'tax',
      'webhooks',
      'keys',
    ]
    for (const path of [...paths, `webhooks/${hooks[0].id}`]) {
      await page.goto(`${app.url}/dashboard#/${path}`)
      await page.waitForLoadState('networkidle')
      await page.emulateMedia({ colorScheme: 'light' })
      await axe(page)
      // A theme changes only colours.
      await page.emulateMedia({ colorScheme: 'dark' })
      await axe(page, ['color-contrast'])
      await pictures(path.replace(/[^a-z]+/g, '-').slice(0, 14) || 'overview', page)
      await onPhone(page)
      for (const width of [768, 1_280]) await fits(page, width)
    }
  }, 240_000)

  test('unmatched transfers are for operators, who assign them to invoices', async () => {
    expect(await page.getByRole('link', { name: 'Unmatched transfers' }).count()).toBe(0)
    await heldTransfer(app.database.sql, { usdcBase: 7_250_000n, to: wallet })
    const customer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
    const body = { amount: 7.25, currency: 'USDC', sellerName: 'Ada Example', ...customer }
    const { id } = (await app.send('POST', '/v1/invoices', body)).json.data
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const operator = await context.newPage()
    await operator.goto(`${app.url}/dashboard`)
    await operator.getByLabel('API key').fill(await keyWith(app, ['admin', 'dashboard:read']))
    await operator.getByRole('button', { name: 'Log in' }).click()
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
    expect(await page.context().cookies()).toEqual([])
    expect(browserErrors).toEqual([])
  })
})

/** Has the next request to these paths processed and its answer lost; resolves to that answer. */
async function loseAnswer(paths: string): Promise<{ readonly answer: Promise<Json> }> {
  const { promise: answer, resolve } = Promise.withResolvers<Json>()
  const lose = async (route: Route) => {
    resolve(await (await route.fetch()).json())
    await route.abort()
  }
  await page.route(paths, lose, { times: 1 })
  return { answer }
}

/** The day, in UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Clicks a confirmation after its safety delay, like a user who has read the question. */
async function confirm(button: Locator) {
  await button.waitFor()
  await Bun.sleep(600)
  await button.click()
}

async function axe(page: Page, rules: string[] = []) {
  const builder = new AxeBuilder({ page })
  const { violations } = await (rules.length > 0 ? builder.withRules(rules) : builder).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}

/** Expects that the page fits a phone's screen without horizontal scrolling. */
function onPhone(page: Page) {
  return fits(page, 390)
}

/** Expects that in a window of `width` neither the page nor a table that folds must be scrolled. */
async function fits(page: Page, width: number) {
  await page.setViewportSize({ width, height: 844 })
  const tooWide = await page.evaluate(
    `[...document.querySelectorAll('html, .folds')].filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.ariaLabel ?? 'page')`,
  )
  expect([page.url(), width, tooWide]).toEqual([page.url(), width, []])
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** With SCREENSHOTS set to a folder, saves pictures of every page there, for people to look at. */
async function pictures(name: string, page: Page) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const path = `${folder}/${name}-${colorScheme}-${width}.png`
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
}
