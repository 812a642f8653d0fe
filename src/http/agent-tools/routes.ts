import { Elysia } from 'elysia'
import type { Mandates } from '../../actors/mandates.ts'
import type { Reports } from '../../actors/reports.ts'
import type { Gate } from '../admission/gate.ts'
import type { Operations } from '../operation.ts'
import { paidEndpoints } from './endpoints.ts'
import type { HostCheck } from './hosts.ts'
import { mcpRoute } from './mcp.ts'
import { sectionRoutes } from './sections.ts'
import { agentTools } from './tools.ts'

type Parts = Parameters<typeof paidEndpoints>[0] & {
  readonly log: Gate['log']
  readonly mandates: Mandates
  readonly reports: Pick<Reports, 'trustSignals'>
  readonly checkHost: HostCheck
}

/** `/agent-tools`: the tool server, and what agents read about the service. */
export function agentRoutes(operations: { rpc: Operations; api: Operations }, parts: Parts) {
  const { log, mandates, reports, checkHost } = parts
  const tools = agentTools({ mandates, reports, paid: paidEndpoints(parts) })
  return new Elysia()
    .use(mcpRoute(operations.rpc, { log, checkHost, tools }))
    .use(sectionRoutes(operations.api, reports))
}
