import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Answer } from '../../support/app.ts'
import { buy, purchasesIn } from '../../support/bought.ts'
import { axe, hasBrowser, loseAnswer, onPhone, pictures } from '../../support/browser.ts'
import { injectEvmWallet } from '../../support/browser-wallets.ts'
import { anInvoice, testProblems, useDashboard } from '../../support/dashboard.ts'
import { eventually } from '../../support/wait.ts'

const limitMs = 30_000

describe.if(hasBrowser)('a seller keeps books in the dashboard, in a browser', () => {
  const { node, app, upstream, opened, problems } = useDashboard({
    chains: ['base'],
    funded: [1],
    upstream: true,
    env: ({ node }) => ({
      BASE_WALLET: node.wallet(2).address,
      BASE_CONFIRMATIONS: '1',
      FX_RATES: 'EUR=1',
      FX_RATES_AS_OF: new Date().toISOString().slice(0, 10),
    }),
  })
  let page: Page
  let invoice: Answer['json']

  beforeAll(() => {
    page = opened.page
  })

  const field = (name: string) => page.locator(`[name="${name}"]`)
  const region = (name: string) => page.getByRole('region', { name, exact: true })

  test('one line is as quick as an amount alone', async () => {
    await page.goto(`${app.url}/dashboard#/invoices/new`)
    await page.getByLabel('Amount, before tax').fill('12.50')
    await page.getByLabel('Tax country').selectOption('DE')
    await page.locator('.sums').getByText('14.875 USDC').waitFor()
    await pictures('invoice-new', page)
    expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0)
    expect(await page.getByLabel('Buyer’s country').isVisible()).toBe(false)
  })

  test('lines are added and removed by keyboard, each with what it comes to, and all in all', async () => {
    await page.getByLabel('Currency').selectOption('EUR')
    const add = page.getByRole('button', { name: 'Add a line' })
    await add.focus()
    for (const text of ['Handbook', 'A mistake', 'Travel']) {
      await page.keyboard.press('Enter')
      // The new line's first field.
      await page.keyboard.type(text)
      await add.focus()
    }
    await page.getByRole('button', { name: 'Remove line 3' }).press('Enter')
    expect(await page.locator(':focus').textContent()).toBe('Add a line')
    expect(await field('lines/2/description').inputValue()).toBe('Travel')
    await field('lines/0/description').fill('Consulting')
    await field('lines/0/quantity').fill('2.5')
    await field('lines/0/unit').selectOption('HUR')
    await field('lines/0/unitPrice').fill('80')
    await field('lines/1/unitPrice').fill('20')
    await field('lines/1/taxCategory').selectOption('reduced')
    await field('lines/2/unitPrice').fill('33.333')
    await page.getByLabel('Net of line 1').getByText('200.00 EUR').waitFor()
    const sums = await page.locator('.sums > div').allTextContents()
    expect(sums.map((sum) => sum.replaceAll('\u00a0', ' '))).toEqual([
      'Net253.33 EUR',
      '19 % on 233.33 EUR44.33 EUR',
      '7 % on 20.00 EUR1.40 EUR',
      'Total299.06 EUR',
    ])
    await axe(page)
    await onPhone(page)
    await pictures('invoice-lines', page)
  })

  test('what is wrong with lines and parties is said at their fields', async () => {
    const create = page.getByRole('button', { name: 'Create invoice' })
    await field('lines/1/unitPrice').fill('much')
    await page.getByLabel('Buyer’s name').fill('Ada Example Ltd')
    await page.getByLabel('Buyer’s e-mail').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Grace Example GmbH')
    await page.getByLabel('Your wallet').fill(node.wallet(2).address)
    await create.click()
    await page.locator('.problem').getByText('with at most 8 decimals in EUR').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('lines/1/unitPrice')
    await field('lines/1/unitPrice').fill('20')
    await field('lines/2/taxCategory').selectOption('exempt')
    await page.getByLabel('Why it is exempt').fill('VATEX-EU-NONE')
    await create.click()
    await page.locator('.problem').getByText('Is no code of the VATEX list').waitFor()
    await page.getByLabel('Why it is exempt').fill('A school')
    await create.click()
    await page.getByRole('alert').getByText('Correct the 3 marked fields').waitFor()
    const marked = page.locator('[aria-invalid=true]')
    const names = await Promise.all((await marked.all()).map((one) => one.getAttribute('name')))
    expect(names).toEqual(['seller/country', 'seller/vat', 'buyer/country'])
    await axe(page)
    await pictures('invoice-problems', page)
    await field('lines/2/taxCategory').selectOption('')
    await field('seller/vat').fill('DE136695976')
    await field('seller/country').selectOption('DE')
    await field('buyer/country').selectOption('AT')
    await create.click()
    await page.getByText('open', { exact: true }).waitFor()
    invoice = (await app.send('GET', `/api/invoices/${page.url().split('/').at(-1)}`)).json
    expect([invoice.total, invoice.lines.length, invoice.taxBreakdown.length]).toEqual([
      29_906, 3, 2,
    ])
  })

  test('the invoice shows its lines and its tax, also once it is paid', async () => {
    const row = region('Lines').getByRole('row', { name: 'Consulting' })
    await row.getByText('2.5 hrs').waitFor()
    await region('Invoice').getByText('on 233.33 EUR').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('null')
    await node.transfer({
      from: node.wallet(1).address,
      to: node.wallet(2).address,
      usdcBase: 299_060_000n,
      reference: invoice.paymentDetails.reference,
    })
    await node.mine(2)
    await page.getByText('paid', { exact: true }).waitFor({ timeout: limitMs })
    await axe(page)
    await onPhone(page)
    await pictures('invoice-settled', page)
  })

  test('one line is credited, only as far as there is something left, once', async () => {
    await page.getByRole('link', { name: 'Credit…' }).click()
    await page.getByText('299.06 EUR can be credited').waitFor()
    await page.getByText('0.00 EUR would be left').waitFor()
    const issue = page.getByRole('button', { name: 'Issue the credit note' })
    await page.getByLabel('What to credit').selectOption('amount')
    await field('amount').fill('299.07')
    await issue.click()
    const problem = page.locator('.problem')
    await problem.getByText('This is more than is left').waitFor()
    await page.getByLabel('What to credit').selectOption('lines')
    await page.getByLabel('Reason').fill('Came late')
    await page.getByLabel('Quantity of line 1 to credit').fill('3')
    await issue.click()
    await problem.getByText('This is more than is left').waitFor()
    await axe(page)
    await pictures('credit-problem', page)
    await page.getByLabel('Quantity of line 1 to credit').fill('1')
    await page.getByText('Credits 95.20 EUR: 80.00 EUR net and 15.20 EUR of VAT').waitFor()
    await onPhone(page)
    await pictures('credit', page)
    await loseAnswer(page, '**/credit-notes')
    await issue.click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await issue.click()
    await page.getByRole('heading', { name: /^CN-\d{4}-0001$/ }).waitFor()
    expect((await app.send('GET', '/api/credit-notes')).json.data).toHaveLength(1)
  })

  test('the note says what to give back to whom, with a code and a link for wallets', async () => {
    const { json } = await app.send('GET', `/api/credit-notes/${page.url().split('/').at(-1)}`)
    const [refund] = json.refunds
    expect(refund).toMatchObject({ amount: '95.20', status: 'open' })
    await region('Credit note').getByText('Came late').waitFor()
    const card = region('Refund of 95.20 USDC')
    await card.getByRole('img', { name: 'QR code' }).waitFor()
    const link = card.getByRole('link', { name: 'Open in a wallet' })
    expect(await link.getAttribute('href')).toBe(refund.paymentUri)
    await card.getByText(node.wallet(2).address.toLowerCase()).waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('credit-note', page)
    const [pdf] = await Promise.all(
      ['PDF', 'XML'].map((name) => page.getByRole('link', { name }).getAttribute('href')),
    )
    expect((await page.request.get(app.url + pdf)).headers()['content-type']).toBe(
      'application/pdf',
    )
  })

  test('the seller refunds it from the wallet that was paid, and from no other', async () => {
    const wallets = await opened.browser.newContext({
      storageState: await page.context().storageState(),
    })
    const paying = await wallets.newPage()
    await injectEvmWallet(paying, node, { name: 'Wrong', chainId: node.chainId })
    const bank = { name: 'Bank', chainId: node.chainId, address: node.wallet(2).address }
    await injectEvmWallet(paying, node, bank)
    const before = await node.balanceOf(node.wallet(1).address)
    await paying.goto(page.url())
    await paying.getByRole('button', { name: 'Refund 95.20 USDC with Wrong' }).click()
    await paying.getByRole('alert').getByText('Choose 0x').waitFor()
    // Until it is in a block nothing recognises it.
    await node.rpc('evm_setAutomine', [false])
    await paying.getByRole('button', { name: 'Refund 95.20 USDC with Bank' }).click()
    await paying.getByText('Your wallet has sent the payment').waitFor()
    await paying.reload()
    await paying.getByText('Your wallet has sent the payment').waitFor()
    expect(await paying.getByRole('button', { name: 'with Bank' }).count()).toBe(0)
    await pictures('refund-sent', paying)
    await node.rpc('evm_setAutomine', [true])
    await node.mine(2)
    await eventually(
      async () => (await node.balanceOf(node.wallet(1).address)) === before + 95_200_000n,
      limitMs,
    )
    await wallets.close()
  })

  test('what was sent is recognised by itself, with a counter-receipt', async () => {
    await region('Refund of 95.20 USDC').getByText('refunded').waitFor({ timeout: limitMs })
    await region('Receipt').getByText('what it states has this hash').waitFor()
    expect(await page.locator('.qr').count()).toBe(0)
    await axe(page)
    await onPhone(page)
    await pictures('credit-note-refunded', page)
  })

  test('the invoice and the list of notes show it, and the timeline tells it', async () => {
    await page.goto(`${app.url}/dashboard#/invoices/${invoice.id}`)
    await region('Timeline')
      .getByText(/^Credited, CN-\d{4}-0001$/)
      .waitFor()
    await region('Invoice').getByText('95.20 EUR').waitFor()
    await region('Credit notes').getByText('refunded').waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('invoice-credited', page)
    const open = (await app.send('POST', '/api/invoices', anInvoice)).json
    await page.goto(`${app.url}/dashboard#/invoices/${open.id}/credit`)
    await page.getByLabel('Reason').fill('Never delivered')
    await page.getByRole('button', { name: 'Issue the credit note' }).click()
    await page.getByText('less is due').waitFor()
    await page.goto(`${app.url}/dashboard#/invoices/${open.id}`)
    await page.getByText('credited', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Credit…' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Credit notes' }).click()
    await page.getByRole('row', { name: /CN-\d{4}-0002 1\.00 USDC/ }).waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('credit-notes', page)
  })

  test('the tax summary of a period has sales, credit notes and the difference', async () => {
    const year = `${new Date().getUTCFullYear()}`
    await page.goto(`${app.url}/dashboard#/tax`)
    await page.getByLabel('Period').selectOption(year)
    await page.waitForURL(new RegExp(`period=${year}$`))
    const table = region('Tax: EUR')
    await table
      .getByRole('row', { name: 'Germany 19 % 1 153.33 EUR 29.13 EUR 182.46 EUR' })
      .waitFor()
    await table.getByRole('row', { name: 'Germany 7 % 1 20.00 EUR 1.40 EUR 21.40 EUR' }).waitFor()
    for (const sums of [
      'Sales 1 253.33 EUR 45.73 EUR 299.06 EUR',
      'Credit notes −80.00 EUR −15.20 EUR −95.20 EUR',
      'Sales less credit notes 173.33 EUR 30.53 EUR 203.86 EUR',
    ])
      await table.getByRole('row', { name: sums }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    expect((await saving).suggestedFilename()).toBe(`tax-summary-${year}.csv`)
    await axe(page)
    await onPhone(page)
    await pictures('tax-summary', page)
    await page.getByLabel('Period').selectOption(`${Number(year) - 1}`)
    await page.getByText(`Nothing settled in ${Number(year) - 1}`).waitFor()
    await page.goto(`${app.url}/dashboard#/?period=${year}`)
    await region(`Settled in ${year}`).getByText('1 invoice, 95.20 USDC credited').waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('overview-period', page)
  })

  test('a transaction that does not prove a refund is refused at its field, and why', async () => {
    const [first] = (await app.send('GET', '/api/credit-notes')).json.data.at(-1).refunds
    await page.goto(`${app.url}/dashboard#/invoices/${invoice.id}/credit`)
    await page.getByText('203.86 EUR can be credited').waitFor()
    await page.getByLabel('Reason').fill('A rebate')
    await page.getByLabel('What to credit').selectOption('amount')
    await field('amount').fill('10')
    await page.getByRole('button', { name: 'Issue the credit note' }).click()
    await page.getByLabel('Transaction hash').fill(first.txHash)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.locator('.problem').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('txHash')
    await axe(page)
    await pictures('refund-not-proven', page)
  })

  test('of a purchase the seller’s credit note is recorded, by its number', async () => {
    const { id } = await buy({ app, node, upstream })
    await purchasesIn(app).becomes(id, 'settled')
    await page.goto(`${app.url}/dashboard#/invoices/${id}/credit`)
    await page.getByText('0.01 USDC can be credited').waitFor()
    const record = page.getByRole('button', { name: 'Record the credit note' })
    await record.click()
    expect(await page.locator(':focus').getAttribute('name')).toBe('number')
    await page.getByLabel('Number of the seller’s credit note').fill('G-2026-7')
    await page.getByLabel('What to credit').selectOption('amount')
    await field('amount').fill('0.004')
    await page.getByText('0.006 USDC would be left').waitFor()
    await axe(page)
    await record.click()
    await page.getByRole('heading', { name: 'G-2026-7' }).waitFor()
    await page.getByText('The seller sends it back').waitFor()
    expect(await page.locator('.qr').count()).toBe(0)
    await axe(page)
    await pictures('credit-note-purchase', page)
  })

  testProblems(problems)
})
