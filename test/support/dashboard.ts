import { beforeAll, expect, test } from 'bun:test'
import { logIn, useBrowser } from './browser.ts'
import { useWorld, type Wants } from './world.ts'

export const wallet = '0x00000000000000000000000000000000000000aa'
/** The hash of no transaction. */
export const hash = `0x${'5e'.repeat(32)}`
export const anInvoice = {
  amount: 1_000_000,
  currency: 'USDC',
  buyer: { companyName: 'Grace Example', email: 'grace@example.com' },
  seller: { name: 'Ada Example', wallet },
}

/** The chain on which invoices are paid. */
export const onBase = {
  chains: ['base'],
  funded: [1],
  env: { BASE_POLL_MS: '500', BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1' },
} as const

/** A service, and a browser that is logged in to its dashboard. */
export function useDashboard(wants: Wants) {
  const world = useWorld(wants)
  const { opened, problems } = useBrowser()
  beforeAll(async () => {
    await logIn(opened.page, world.app, world.app.account.apiKey)
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
  return { ...world, opened, problems }
}

/** To be the last test: the page has reported nothing broken or blocked. */
export function testProblems(problems: readonly string[]): void {
  test('nothing was blocked or broken on the way', () => {
    expect(problems).toEqual([])
  })
}
