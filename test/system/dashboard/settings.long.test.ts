import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import {
  axe,
  confirm,
  fits,
  hasBrowser,
  loseAnswer,
  onPhone,
  pictures,
} from '../../support/browser.ts'
import { anInvoice, hash, testProblems, useDashboard, wallet } from '../../support/dashboard.ts'
import { aMandate } from '../../support/mandates.ts'
import { addTotals } from '../../support/totals.ts'
import { eventually } from '../../support/wait.ts'

describe.if(hasBrowser)('webhooks, keys, budgets and mandates, in a browser', () => {
  const { app, receiver, opened, problems } = useDashboard({
    receiver: true,
    env: { BASE_WALLET: wallet },
  })
  let page: Page

  beforeAll(() => {
    page = opened.page
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
    const lost = await loseAnswer(page, '**/rotate-secret')
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await confirm(page.getByRole('button', { name: 'Rotate now' }))
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await confirm(page.getByRole('button', { name: 'Rotate now' }))
    const { secret } = await lost.answer
    expect(await page.locator('.secret code').textContent()).toBe(secret as string)
    expect(await page.getByText('rotated again').count()).toBe(0)
    await loseAnswer(page, '**/test')
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
    const lost = await loseAnswer(page, '**/rotate-secret')
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

  test('a delivery shows what was sent and what was answered', async () => {
    const sent = receiver.received.at(-1)
    await page.getByRole('button', { name: 'invoice.sent' }).first().click()
    const payload = page.getByRole('region', { name: 'Payload' })
    await payload.getByText(`"id": "${sent?.headers['webhook-id']}"`).waitFor()
    expect(JSON.parse((await payload.locator('pre').textContent()) ?? '')).toEqual(
      JSON.parse(sent?.body ?? ''),
    )
    await page.getByRole('region', { name: 'Answers' }).getByText('HTTP 204').waitFor()
    expect(await unsorted(page)).toEqual(['Action'])
    await axe(page)
    for (const width of [390, 1_280]) await fits(page, width)
    await pictures('delivery', page)
    await page.getByRole('button', { name: 'invoice.sent' }).first().click()
    await payload.waitFor({ state: 'detached' })
  })

  test('a webhook’s URL and events are changed, or left as they are', async () => {
    const path = `/api/webhooks/${page.url().split('/').at(-1)}`
    const before = (await app.send('GET', path)).json
    const form = page.getByRole('form', { name: 'Change the webhook' })
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await form.getByLabel('URL').inputValue()).toBe(before.url)
    expect(await form.getByLabel('invoice.settled').isChecked()).toBe(true)
    await form.getByLabel('URL').fill('not a URL')
    await form.getByLabel('invoice.settled').uncheck()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Enter a URL').waitFor()
    await form.getByText('Choose at least one').waitFor()
    await axe(page)
    await form.getByRole('button', { name: 'Cancel' }).click()
    expect((await app.send('GET', path)).json).toEqual(before)
    await page.getByRole('button', { name: 'Edit' }).click()
    await form.getByLabel('URL').fill(`${receiver.url}?changed`)
    await form.getByLabel('invoice.paid').check()
    await form.getByRole('button', { name: 'Save' }).click()
    const shown = page.getByRole('region', { name: 'Receiver' })
    await shown.getByText(`${receiver.url}?changed`).waitFor()
    const { url, events } = (await app.send('GET', path)).json
    expect([url, events]).toEqual([`${receiver.url}?changed`, ['invoice.paid', 'invoice.settled']])
    await app.send('PATCH', path, { url: before.url })
  })

  test('a secret whose answer was lost is said to be lost, and what helps', async () => {
    await page.goto(`${app.url}/dashboard#/keys`)
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('Name').fill('Lost agent')
    await form.getByLabel('invoices:read').check()
    await loseAnswer(page, '**/api/keys')
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
    await loseAnswer(page, '**/api/webhooks')
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
    expect(await unsorted(page)).toEqual(['Action'])
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
    for (const width of [390, 1_280]) await fits(page, width)
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
      .sql`update anchors set state = 'anchored', chain_id = 8453, block_number = 7, tx_hash = ${toBytes(hash)}
      where kind = 'mandate' and subject_id = ${id}`
    await page.goto(`${app.url}/dashboard#/mandates`)
    await page.getByLabel('Status').selectOption('signed_by_both')
    await page.waitForURL(/status=signed_by_both$/)
    await page.locator(`a[href="#/mandates/${id}"]`).click()
    await page.getByRole('region', { name: 'Terms' }).getByText('"b": 2').waitFor()
    await page
      .getByRole('region', { name: 'Receipt' })
      .getByText('what it states has this hash')
      .waitFor()
    await page.goBack()
    expect(await page.getByLabel('Status').inputValue()).toBe('signed_by_both')
    await page.goForward()
    const anchor = page.getByRole('region', { name: 'Timeline' }).getByRole('link').first()
    expect(await anchor.getAttribute('href')).toBe(`https://basescan.org/tx/${hash}`)
    // A month with settlements on most days.
    const { sql } = app.database
    const accountId = app.account.account.id
    for (let ago = 1; ago < 30; ago++) {
      const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
      const usdcBase = 1_000_000n * BigInt((20 + ((ago * 7) % 31)) * (ago % 6))
      if (usdcBase > 0n) await addTotals(sql, { accountId, day, count: 1 + (ago % 4), usdcBase })
    }
    // Figures as wide as they get.
    const [netMinor, taxMinor] = [123_456_789_012n, 24_691_357_802n]
    const british = { currency: 'SEK', country: 'GB', rateBasisPoints: 2_000, count: 1_000 }
    await addTotals(sql, { accountId, ...british, netMinor, taxMinor })
    const buyer = { companyName: 'Long and Longer Example Ltd, '.repeat(8), email: 'a@example.com' }
    const large = { ...anInvoice, amount: 99_999_999, currency: 'SEK', buyer }
    await app.send('POST', '/api/invoices', large)
    const invoiceId = (await app.send('GET', '/api/invoices')).json.data[0].id
    const hooks = (await app.send('GET', '/api/webhooks')).json.data
    const paths = [
      '',
      'invoices',
      'invoices/new',
      `invoices/${invoiceId}`,
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

  testProblems(problems)
})

/** The heads of columns by which rows are not sorted. */
function unsorted(page: Page): Promise<string[]> {
  return page.locator('th:not(:has(.sort))').allTextContents()
}
