import { plans } from '../accounts/account.ts'
import { toDecimal, usdcScale } from '../money/money.ts'

export const pricesUsdcBase = { invoice: 10_000n, settlement: 5_000n } as const

export const salesUsdcBase: ReadonlySet<bigint> = new Set(Object.values(pricesUsdcBase))

/** The public section `pricing`, as JSON text. */
export function pricingJson(
  tools: readonly { readonly name: string; readonly priceUsdcBase: bigint }[],
): string {
  return JSON.stringify({
    section_id: 'pricing',
    version: '1.0',
    model: 'pay_per_call',
    tiers: [
      tier('free', 'free'),
      tier('pro', 'pro'),
      { ...tier('enterprise', 'enterprise'), note: 'The default; agreed for each account.' },
    ],
    tools: tools.map(({ name, priceUsdcBase }) => ({
      name,
      price: toDecimal(priceUsdcBase, usdcScale),
      currency: 'USDC',
      payment: priceUsdcBase === 0n ? 'none' : 'x402',
    })),
  })
}

function tier(name: string, plan: keyof typeof plans) {
  const { perMinute, perDay } = plans[plan]
  return { name, requests_per_minute: perMinute, requests_per_day: perDay }
}
