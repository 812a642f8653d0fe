import { plans } from '../accounts/account.ts'
import { toDecimal, usdcScale } from '../money/money.ts'

/** The agent tools by name, and the price of one call in USDC base units; 0: free. */
export const toolPrices = {
  service_create_invoice: 10_000n,
  service_settle_invoice: 5_000n,
  service_query_mandate: 0n,
  service_dispute_open: 0n,
  service_get_pricing: 0n,
  service_get_trust_signals: 0n,
} as const

/** The prices, in USDC base units, at which something is sold by x402. */
export const salesUsdcBase: ReadonlySet<bigint> = new Set(
  Object.values(toolPrices).filter((usdcBase) => usdcBase > 0n),
)

export type ToolName = keyof typeof toolPrices

/** The section `pricing`, as JSON text: what anybody may read about prices. */
export function pricingJson(): string {
  return JSON.stringify({
    section_id: 'pricing',
    version: '1.0',
    model: 'pay_per_call',
    tiers: [
      tier('free', 'free'),
      tier('pro', 'pro'),
      { ...tier('enterprise', 'enterprise'), note: 'The default; agreed for each account.' },
    ],
    tools: Object.entries(toolPrices).map(([name, usdcBase]) => ({
      name,
      price: toDecimal(usdcBase, usdcScale),
      currency: 'USDC',
      payment: usdcBase === 0n ? 'none' : 'x402',
    })),
  })
}

function tier(name: string, plan: keyof typeof plans) {
  const { perMinute, perDay } = plans[plan]
  return { name, requests_per_minute: perMinute, requests_per_day: perDay }
}
