import { beforeAll, describe, expect, test } from 'bun:test'
import { checks } from '../../../src/verify/verify-receipt.ts'
import { createdInvoice } from '../../support/app.ts'
import { axe, hasBrowser, onPhone, pictures, useBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const { app, node } = useWorld({
  ...{ chains: ['base'], funded: [1], anchored: true, blockTimeSeconds: 1 },
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1' },
})
const { opened, problems } = useBrowser()
let path: string

describe.skipIf(!hasBrowser)('the receipt page', () => {
  beforeAll(async () => {
    const { id, paymentDetails } = await createdInvoice(app, { amount: 12.5 })
    const { reference } = paymentDetails
    const from = node.wallet(1).address
    await node.transfer({ from, to: wallet, usdcBase: 12_500_000n, reference })
    path = `/pay/${id}/receipt`
    await eventually(async () => (await app.keyless('GET', `${path}/anchor`)).text !== '{}')
  })

  test('makes each check in the browser, with nothing from another origin', async () => {
    const { page } = opened
    const origins = new Set<string>()
    page.on('request', (request) => origins.add(new URL(request.url()).origin))
    await page.goto(app.url + path)
    expect(await marks(['ok', 'ok', 'ok', 'ok', 'ok'])).toEqual(['✓', '✓', '✓', '✓', '✓'])
    expect([...origins]).toEqual([new URL(app.url).origin])
    await axe(page)
    await onPhone(page)
    await pictures('receipt', page)
    expect(problems).toEqual([])
  })

  test.each([
    ['a value was changed', '**/bundle', change('"12.50"', '"92.50"'), ['✗', '?', '?', '?', '?']],
    ['the batch is another', '**/anchor', change('"0xd32a', '"0xd32b'), ['✓', '✓', '✗', '?', '?']],
    [
      'the service anchors otherwise',
      '**/.well-known/quittance',
      () => '{"anchor":null}',
      ['✓', '✓', '✓', '✗', '?'],
    ],
    [
      'no blocks were searched',
      '**/anchor',
      change('"eth_getLogs"', '"x"'),
      ['✓', '✓', '✓', '✓', '?'],
    ],
    ['the node says nothing', '**/anchor', () => '{', ['✓', '✓', '?', '?', '?']],
  ] as const)('says so where %s', async (_, paths, edit, expected) => {
    const { page } = opened
    await page.route(paths, async (route) => {
      const body = edit(await (await route.fetch()).text())
      await route.fulfill({ body, contentType: 'application/json' })
    })
    await page.goto(app.url + path)
    const names = { '✓': 'ok', '✗': 'failed', '?': 'unknown' }
    expect(await marks(expected.map((mark) => names[mark]))).toEqual([...expected])
    await page.unroute(paths)
  })

  test('shows no checks where no script runs', async () => {
    const context = await opened.browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(app.url + path)
    expect(await page.locator('#checks').isVisible()).toBe(false)
    await context.close()
  })

  /** The marks of the checks, once these are their states. */
  async function marks(states: readonly string[]): Promise<readonly (string | null)[]> {
    const rows = checks.map((name) => opened.page.locator(`[data-check="${name}"]`))
    await Promise.all(
      states.map((state, at) =>
        opened.page.locator(`[data-check="${checks[at]}"].${state}`).waitFor({ timeout: 5_000 }),
      ),
    )
    return Promise.all(rows.map((row) => row.locator('span').textContent()))
  }
})

function change(before: string, after: string): (text: string) => string {
  return (text) => text.replaceAll(before, after)
}
