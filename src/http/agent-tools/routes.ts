import { Elysia } from 'elysia'
import type { Mandates } from '../../actors/mandates.ts'
import type { TrustSignals } from '../../domain/receipts/trust.ts'
import type { Gate } from '../admission/gate.ts'
import type { Operations } from '../operation.ts'
import { paidEndpoints } from './endpoints.ts'
import type { HostCheck } from './hosts.ts'
import { mcpRoute } from './mcp.ts'
import { sectionRoutes } from './sections.ts'
import { agentTools } from './tools.ts'

/** What only the agents' routes need. */
export type AgentParts = {
  readonly checkHost: HostCheck
  trustSignals(): Promise<TrustSignals>
}

type Parts = Parameters<typeof paidEndpoints>[0] & {
  readonly gate: Gate
  readonly mandates: Mandates
  readonly agents: AgentParts
}

/** `/agent-tools`: the tool server, and what agents read about the service. */
export function agentRoutes(operations: { rpc: Operations; api: Operations }, parts: Parts) {
  const { log } = parts.gate
  const { checkHost, trustSignals } = parts.agents
  const tools = agentTools({
    mandates: parts.mandates,
    paid: paidEndpoints(parts),
    trustSignals,
  })
  return new Elysia()
    .use(mcpRoute(operations.rpc, { log, checkHost, tools }))
    .use(sectionRoutes(operations.api, trustSignals))
}
