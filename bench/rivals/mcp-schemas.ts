import { z } from 'zod'

type Shapes = { readonly inputSchema: z.ZodRawShape; readonly outputSchema: z.ZodRawShape }

/**
 * The schemas of the six tools as one writes them for the SDK. They equal those of
 * `src/http/agent-tools`, except that the output schemas omit errors and payment requirements.
 */
export function toolSchemas(): Readonly<Record<string, Shapes>> {
  const line = (max: number) =>
    z
      .string()
      .min(1)
      .max(max)
      .regex(/^\P{Cc}+$/u)
  const proof = z
    .string()
    .optional()
    .describe('The x402 payment, base64. Leave it out to learn the price.')
  const sold = (capability: string) => ({
    success: z.literal(true),
    capability: z.literal(capability),
    result: z.looseObject({}),
  })
  const states = ['proposed', 'signed_by_proposer', 'signed_by_both', 'in_progress', 'completed']
  return {
    service_create_invoice: {
      inputSchema: {
        issuer: line(256).optional().describe('Who is paid: your name, or that of your company.'),
        recipient: line(256).optional().describe('The payer.'),
        email: z.email().max(254).optional().describe('The e-mail address of the payer.'),
        amount: z.union([z.number(), z.string()]).optional().describe('How much is due.'),
        currency: z.string().optional().describe('An ISO 4217 code, or USDC, the default.'),
        description: line(4_000).optional().describe('What it is for.'),
        x_payment: proof,
      },
      outputSchema: sold('invoice'),
    },
    service_settle_invoice: {
      inputSchema: {
        invoice_id: line(64).describe('Id of the invoice, a UUID.'),
        x_payment: proof,
      },
      outputSchema: sold('settle'),
    },
    service_query_mandate: {
      inputSchema: { mandate_id: line(256).describe('Id of the mandate.') },
      outputSchema: {
        id: z.string(),
        state: z.enum([...states, 'disputed', 'expired']),
        mandate_hash: z.string(),
        anchor_tx_hash: z.string().nullable(),
        created_at: z.string(),
        parties: z.array(z.object({ role: z.string(), agent_id: z.string(), signed: z.boolean() })),
      },
    },
    service_dispute_open: {
      inputSchema: {
        mandate_id: line(256).describe('Id of the mandate.'),
        reason: z.string().min(10).max(4_000).describe('What went wrong, for people to read.'),
        api_key: line(256).describe('An API key of the account that created the mandate.'),
      },
      outputSchema: {
        mandate_id: z.string(),
        status: z.literal('disputed'),
        disputed_at: z.string(),
        reason: z.string(),
      },
    },
    service_get_pricing: {
      inputSchema: {},
      outputSchema: {
        section_id: z.literal('pricing'),
        version: z.string(),
        model: z.literal('pay_per_call'),
        tiers: z.array(
          z.object({
            name: z.string(),
            requests_per_minute: z.int(),
            requests_per_day: z.int(),
            note: z.string().optional(),
          }),
        ),
        tools: z.array(
          z.object({
            name: z.string(),
            price: z.string(),
            currency: z.literal('USDC'),
            payment: z.enum(['none', 'x402']),
          }),
        ),
      },
    },
    service_get_trust_signals: {
      inputSchema: {},
      outputSchema: {
        section_id: z.literal('trust_signals'),
        version: z.string(),
        generated_at: z.iso.datetime(),
        metrics: z.object({
          drs_receipts_issued: z.int(),
          mandates_anchored: z.int(),
          invoices_settled: z.int(),
        }),
        partnerships: z.array(z.unknown()),
      },
    },
  }
}
