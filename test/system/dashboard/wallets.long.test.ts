import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axe, hasBrowser, onPhone, pictures, useBrowser } from '../../support/browser.ts'
import { injectEvmWallet, injectSolanaWallet } from '../../support/browser-wallets.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const base = 8453

describe.skipIf(!hasBrowser)('people pay with a wallet in their browser', () => {
  const { app, node, solana } = useWorld({
    chains: ['base', 'solana'],
    funded: [1],
    env: {
      BASE_WALLET: '0x00000000000000000000000000000000000000aa',
      BASE_CONFIRMATIONS: '1',
      POLYGON_WALLET: '0x00000000000000000000000000000000000000aa',
      SOLANA_WALLET: 'J8ELDWzvcRrWUHqVLRc8zuSZqLGk5FY8d6pNdzq3cVNu',
    },
  })
  const { opened, problems } = useBrowser()
  let page: Page
  let loads: number
  const elsewhere: string[] = []

  beforeEach(async () => {
    const context = await opened.browser.newContext({ viewport: { width: 390, height: 844 } })
    page = await context.newPage()
    loads = 0
    page.on('load', () => loads++)
    page.on('request', (request) => {
      if (/^http/.test(request.url()) && !request.url().startsWith(app.url))
        elsewhere.push(request.url())
    })
    page.on('console', (line) => {
      if (/Content.Security/.test(line.text())) problems.push(line.text())
    })
  })
  afterEach(() => page.context().close())

  const button = (name: string) => page.getByRole('button', { name: new RegExp(`with ${name}$`) })

  async function open(over: object = {}): Promise<string> {
    const { json } = await app.send('POST', '/api/invoices', {
      amount: 12_500_000,
      currency: 'USDC',
      chain: 'base',
      buyer: { companyName: 'Ada', email: 'ada@example.com' },
      seller: { name: 'Grace', wallet: `0x${'aa'.repeat(20)}` },
      ...over,
    })
    const isRead = json.paymentDetails.chain !== 'polygon'
    await eventually(
      async () => (await app.keyless('GET', `/pay/${json.id}/status`)).json.accepting === isRead,
    )
    await page.goto(`${app.url}/pay/${json.id}`)
    return json.id
  }

  async function expectPaid(id: string, expectedLoads = 1): Promise<void> {
    await page.getByText('Paid', { exact: true }).waitFor({ timeout: 20_000 })
    const { json } = await app.send('GET', `/api/invoices/${id}`)
    expect(json.paymentDetails).toMatchObject({ matchedBy: 'reference', amountReceived: '12.50' })
    expect(json.paymentDetails).not.toHaveProperty('overpaidAmount')
    expect([loads, problems, elsewhere]).toEqual([expectedLoads, [], []])
  }

  test('among two, which both announce themselves, the one they choose, on its chain, without a reload', async () => {
    const first = await injectEvmWallet(page, node, { name: 'Fox' })
    const second = await injectEvmWallet(page, node, { name: 'Owl', chainId: base })
    const id = await open()
    await button('Fox').waitFor()
    await axe(page)
    await onPhone(page)
    await pictures('pay-wallets', page)
    await button('Owl').click()
    await page.getByText('Your wallet has sent the payment').waitFor()
    await expectPaid(id)
    expect(first.calls).toEqual([])
    expect(second.calls).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_sendTransaction'])
  })

  test('that is on another chain: it is switched first', async () => {
    const wallet = await injectEvmWallet(page, node, { name: 'Fox', knows: new Set([1, base]) })
    const id = await open()
    await button('Fox').click()
    await expectPaid(id)
    expect(wallet.calls).toContain('wallet_switchEthereumChain')
    expect(wallet.calls).not.toContain('wallet_addEthereumChain')
  })

  test('that does not know the chain: it is added, with a public node', async () => {
    const wallet = await injectEvmWallet(page, node, { name: 'Fox' })
    const id = await open()
    await button('Fox').click()
    await expectPaid(id)
    expect(wallet.calls).toContain('wallet_addEthereumChain')
    expect(wallet.chainId).toBe(base)
  })

  test('that they decline in: nothing is sent, it says so, and they can try again, by keyboard', async () => {
    const wallet = await injectEvmWallet(page, node, { name: 'Fox', chainId: base, declines: 1 })
    const id = await open()
    await button('Fox').waitFor()
    const pressPay = async () => {
      for (let step = 0; step < 10; step++) {
        await page.keyboard.press('Tab')
        const text = await page.evaluate('document.activeElement.textContent')
        if (`${text}`.endsWith('with Fox')) return page.keyboard.press('Enter')
      }
      throw new Error('the keyboard does not reach the button')
    }
    await pressPay()
    await page.getByRole('alert').getByText('declined in Fox').waitFor()
    await axe(page)
    await pictures('pay-declined', page)
    await page.evaluate('document.activeElement.blur()')
    await pressPay()
    await expectPaid(id)
    expect(wallet.calls.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
  })

  test('that is only `window.ethereum`', async () => {
    await injectEvmWallet(page, node, { name: 'Old', chainId: base, isLegacy: true })
    const id = await open()
    await button('your browser wallet').click()
    await expectPaid(id)
  })

  test('while it has not arrived, no address and no button invites to pay twice, not even after a reload', async () => {
    await injectEvmWallet(page, node, { name: 'Fox', chainId: base })
    await node.rpc('evm_setAutomine', [false])
    const id = await open()
    await button('Fox').click()
    await page.getByText('Your wallet has sent the payment').waitFor()
    await page.reload()
    await page.getByText('Your wallet has sent the payment').waitFor()
    expect(await button('Fox').count()).toBe(0)
    expect(await page.locator('.qr').count()).toBe(0)
    await axe(page)
    await pictures('pay-sent', page)
    await node.rpc('evm_setAutomine', [true])
    await node.mine(1)
    await expectPaid(id, 2)
  })

  test('of the Wallet Standard, on Solana, declined once, with the reference as an account', async () => {
    const wallet = await injectSolanaWallet(page, solana)
    wallet.declines = 1
    const id = await open({
      chain: 'solana',
      seller: { name: 'Grace', wallet: 'J8ELDWzvcRrWUHqVLRc8zuSZqLGk5FY8d6pNdzq3cVNu' },
    })
    await button('Sunny').click()
    await page.getByRole('alert').getByText('declined in Sunny').waitFor()
    await button('Sunny').click()
    await page.getByText('Your wallet has sent the payment').waitFor()
    expect(wallet.sent).toBe(1)
    solana.advance(40)
    await expectPaid(id)
  })

  test('no button where nobody reads the chain, and the page says so', async () => {
    await injectEvmWallet(page, node, { name: 'Fox', chainId: base })
    await open({ chain: 'polygon' })
    await page.getByText('please do not pay yet').waitFor()
    for (const part of ['.qr', '.wallets', '.copy-line', 'a.button'])
      expect(await page.locator(part).count()).toBe(0)
    await axe(page)
    await pictures('pay-not-accepting', page)
  })
})
