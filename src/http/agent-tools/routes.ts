import { Elysia } from 'elysia'
import type { Mandates } from '../../actors/mandates.ts'
import type { Principal } from '../../domain/account.ts'
import { DomainError } from '../../domain/error.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { TrustSignals } from '../../domain/trust.ts'
import { authorize, bucketOf, type Gate, insist } from '../gate.ts'
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
  /** The principal of a raw key; null where the key is not valid. */
  findKey(key: string): Principal | null | Promise<Principal | null>
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
    authorize: authorizeKey,
  })
  return new Elysia()
    .use(mcpRoute(operations.rpc, { log, checkHost, tools }))
    .use(sectionRoutes(operations.api, trustSignals))

  async function authorizeKey(apiKey: string, scope: Scope): Promise<Principal> {
    const principal = await parts.agents.findKey(apiKey)
    if (!principal) throw new DomainError('unauthorized', 'api_key is no valid API key')
    insist(await parts.gate.limits.admit(bucketOf(principal), principal))
    authorize(principal, scope)
    return principal
  }
}
