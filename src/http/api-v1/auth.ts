import { Elysia } from 'elysia'
import type { DashboardTokens } from '../admission/dashboard-token.ts'
import { type Operations, unparsed } from '../operation.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './docs.ts'

/** `/api/v1/auth/token`: exchanges an API key for a token that opens the dashboard's paths. */
export function tokenRoutes(operation: Operations, tokens: DashboardTokens) {
  return new Elysia().post(
    '/api/v1/auth/token',
    operation({ scope: 'dashboard:read', docs: Docs.issueToken }, async ({ principal }) =>
      ok(JSON.stringify(await tokens.issue(principal)), 200, { 'cache-control': 'no-store' }),
    ),
    unparsed,
  )
}
